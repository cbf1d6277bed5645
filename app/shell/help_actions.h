#pragma once

#include "app/actions/action_register.h"

class QMainWindow;

namespace stagecraft::app::help {
class HelpController;
}

namespace stagecraft::app::shell {

/// The menu Help.
class HelpActions : public QObject {
    Q_OBJECT

public:
    HelpActions(ActionRegister& actions, QMainWindow* window);

    /// A page of help, or an erratum.
    void open(const QString& topic);

signals:
    /// A page of help was asked to open it.
    void sampleChosen(QString id);

private:
    void addPages(ActionRegister& actions);
    void showAbout();

    QMainWindow* window_;
    HelpController* desk_;
};

}  // namespace stagecraft::app::shell
