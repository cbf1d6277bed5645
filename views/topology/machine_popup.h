#pragma once

#include "core/base/rooms.h"

#include <QFrame>

class QLineEdit;
class QListWidget;

namespace stagecraft::views {

/// Whole servers and racks by name, found by typing; Enter or a click chooses, Escape does nothing.
class MachinePopup : public QFrame {
    Q_OBJECT

public:
    explicit MachinePopup(QWidget* parent);
    void showAt(const QPoint& globalPosition);

signals:
    void accepted(const QString& name);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fill();
    void accept();

    QLineEdit* search_;
    QListWidget* list_;
};

}  // namespace stagecraft::views
