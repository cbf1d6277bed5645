#include "views/topology/canvas_tool.h"

#include "views/common/theme.h"

namespace stagecraft::views {

bool CanvasTool::setPlacing(std::optional<PalettePart> part) {
    if (part == placing_ && !linking_) return false;
    linking_ = false;
    placing_ = part;
    preview_.reset();
    return true;
}

bool CanvasTool::setLinking(bool linking) {
    if (linking == linking_ && !placing_) return false;
    placing_.reset();
    preview_.reset();
    linking_ = linking;
    return true;
}

void CanvasTool::paint(QPainter& painter, const TopologyScene& scene, const Viewport& viewport) const {
    if (!preview_) return;
    const auto& [part, at] = *preview_;
    QColor fill = Theme::current().accent;
    fill.setAlpha(40);
    painter.setPen(QPen(Theme::current().accent, 1.5, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    const QPointF middle = viewport.toScene(at);
    const int server = scene.serverAt(middle);
    if (server >= 0 && part != PalettePart::server && part != PalettePart::networkSwitch)
        painter.drawRoundedRect(
            viewport.toScreen(scene.layout().servers[static_cast<std::size_t>(server)].box), 8, 8);
    painter.setBrush(fill);
    const QRectF outline = viewport.toScreen(partOutline(part, middle));
    painter.drawRoundedRect(outline, 6, 6);
    painter.setPen(Theme::current().text);
    painter.drawText(outline, Qt::AlignCenter, paletteEntry(part).name);
}

QRectF partOutline(PalettePart part, QPointF middle) {
    QRectF outline(QPointF(), switchSize);
    if (part == PalettePart::gpu) outline.setSize(tileSize);
    if (part == PalettePart::server) outline.setSize(QSizeF(556, 180));
    outline.moveCenter(middle);
    return outline;
}

}  // namespace stagecraft::views
