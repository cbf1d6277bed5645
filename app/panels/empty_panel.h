#pragma once

#include "app/rooms.h"

#include <QWidget>

namespace stagecraft::app::panels {

/// What a panel shows that has nothing to show: what to do next, a button that does it, and perhaps one for
/// another way.
class EmptyPanel : public QWidget {
    Q_OBJECT

public:
    EmptyPanel(const QString& title, const QString& hint, const QString& button, const QString& other = {},
               QWidget* parent = nullptr);

signals:
    void accepted();
    void otherAccepted();
};

}  // namespace stagecraft::app::panels
