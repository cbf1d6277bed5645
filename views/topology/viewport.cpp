#include "views/topology/viewport.h"

#include <algorithm>

namespace stagecraft {

void Viewport::zoomAt(QPointF screen, double factor) {
    const QPointF held = toScene(screen);
    scale = std::clamp(scale * factor, leastScale, greatestScale);
    offset = screen - held * scale;
}

void Viewport::fit(const QRectF& scene, const QRectF& screen, double most) {
    if (scene.isEmpty() || screen.isEmpty()) return;
    const double fitting = std::min(screen.width() / scene.width(), screen.height() / scene.height());
    scale = std::clamp(std::min(fitting, most), leastScale, greatestScale);
    offset = screen.center() - scene.center() * scale;
}

}  // namespace stagecraft
