#include "views/common/viewport.h"

#include <algorithm>

namespace stagecraft::views::common {

void Viewport::zoomAt(QPointF screen, double factor, ScaleLimits limits) {
    const QPointF held = toScene(screen);
    scale = std::clamp(scale * factor, limits.least, limits.greatest);
    offset = screen - held * scale;
}

void Viewport::fit(const QRectF& scene, const QRectF& screen, double most, ScaleLimits limits) {
    if (scene.isEmpty() || screen.isEmpty()) return;
    const double fitting = std::min(screen.width() / scene.width(), screen.height() / scene.height());
    scale = std::clamp(std::min(fitting, most), limits.least, limits.greatest);
    offset = screen.center() - scene.center() * scale;
}

}  // namespace stagecraft::views::common
