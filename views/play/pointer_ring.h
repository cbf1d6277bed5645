#pragma once

#include "core/base/rooms.h"

#include <QWidget>

namespace stagecraft::views {

/// A ring around the mouse that the back row sees. Lies over what it points at.
class PointerRing : public QWidget {
    Q_OBJECT
public:
    explicit PointerRing(QWidget* parent);
    /// @param position in the parent
    void moveTo(QPoint position);
    /// @param pixels across
    void setExtent(int pixels);

protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace stagecraft::views
