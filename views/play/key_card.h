#pragma once

#include "core/base/rooms.h"

#include <QLabel>
#include <QTimer>

namespace stagecraft::views {

/// Says over the middle of its parent, for some seconds, which keys do what.
class KeyCard : public QLabel {
    Q_OBJECT
public:
    explicit KeyCard(QWidget* parent);
    void showKeys(const QStringList& lines);
    /// After the parent has another size.
    void place();

private:
    QTimer timer_;
};

}  // namespace stagecraft::views
