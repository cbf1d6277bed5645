#pragma once

#include "core/base/rooms.h"

#include <QPixmap>

#include <functional>

namespace stagecraft::views {

/// A picture in two layers that are painted only when they no longer hold: what does not depend on the
/// pointer, and upon it what does.
class CanvasLayers {
public:
    using Paint = std::function<void(QPainter&)>;

    void forgetAll() { backgroundHolds_ = false; }
    void forgetForeground() { foregroundHolds_ = false; }
    /// Both layers at a size, painted as far as needed.
    const QPixmap& picture(QSize size, double pixelRatio, const Paint& paintBackground,
                           const Paint& paintForeground);

private:
    QPixmap background_, picture_;
    bool backgroundHolds_ = false, foregroundHolds_ = false;
};

}  // namespace stagecraft::views
