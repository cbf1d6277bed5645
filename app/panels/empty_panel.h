#pragma once

#include <QWidget>

namespace stagecraft {

/// What a panel shows that has nothing to show: what to do next, and a button that does it.
class EmptyPanel : public QWidget {
    Q_OBJECT

public:
    EmptyPanel(const QString& title, const QString& hint, const QString& button, QWidget* parent = nullptr);

signals:
    void accepted();
};

}  // namespace stagecraft
