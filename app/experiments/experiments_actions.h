#pragma once

#include "app/actions/action_register.h"

#include <QObject>
#include <QPointer>

namespace stagecraft {

class ExperimentsWindow;

/// The menu Experiment, and its window.
class ExperimentsActions : public QObject {
    Q_OBJECT

public:
    ExperimentsActions(ActionRegister& actions, QWidget* parent);
    ExperimentsWindow& open();

private:
    QWidget* parent_;
    QPointer<ExperimentsWindow> window_;
};

}  // namespace stagecraft
