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

bool CanvasTool::setPlacing(MachineChoice machine) {
    machine_ = std::move(machine);
    placing_.reset();
    return setPlacing(machine_.part);
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
    const bool joins =
        part != PalettePart::server && part != PalettePart::networkSwitch && !isChosenByName(part);
    if (server >= 0 && joins)
        painter.drawRoundedRect(
            viewport.toScreen(scene.layout().servers[static_cast<std::size_t>(server)].box), 8, 8);
    painter.setBrush(fill);
    const QRectF box = viewport.toScreen(outline(part, middle));
    painter.drawRoundedRect(box, 6, 6);
    painter.setPen(Theme::current().text);
    const bool named = isChosenByName(part) && placing_ == part;
    painter.drawText(box, Qt::AlignCenter, named ? machine_.name : paletteEntry(part).name);
}

QRectF CanvasTool::outline(PalettePart part, QPointF middle) const {
    QRectF outline(QPointF(), switchSize);
    if (part == PalettePart::gpu) outline.setSize(tileSize);
    if (part == PalettePart::server) outline.setSize(QSizeF(556, 180));
    // One that is dragged from the palette has no name yet.
    if (isChosenByName(part)) outline.setSize(placing_ == part ? machine_.size : QSizeF(556, 180));
    outline.moveCenter(middle);
    return outline;
}

}  // namespace stagecraft::views
