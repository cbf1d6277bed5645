#pragma once

#include "views/rooms.h"

#include <QFrame>

class QSpinBox;

namespace stagecraft::views::topology {

/// Asks how often to duplicate, beside the pointer; Enter does it, Escape does nothing.
class DuplicatePopup : public QFrame {
    Q_OBJECT

public:
    explicit DuplicatePopup(const QString& what, QWidget* parent);
    void showAt(const QPoint& globalPosition);

signals:
    void accepted(int times);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void accept();
    QSpinBox* times_;
};

}  // namespace stagecraft::views::topology
