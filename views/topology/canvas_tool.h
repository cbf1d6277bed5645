#pragma once

#include "views/topology/palette_part.h"
#include "views/topology/topology_scene.h"
#include "views/common/viewport.h"

#include <QPainter>

#include <optional>

namespace stagecraft::views {

/// What clicks on the canvas do: choose, or place a part, or join things. And the outline of a part that is
/// placed or dragged from the palette.
class CanvasTool {
public:
    /// @return whether that is a change
    bool setPlacing(std::optional<PalettePart> part);
    bool setLinking(bool linking);
    std::optional<PalettePart> placing() const { return placing_; }
    bool isLinking() const { return linking_; }
    bool isActive() const { return placing_ || linking_; }

    /// Shows the outline of a part at a point of the widget.
    void preview(PalettePart part, QPointF at) { preview_ = {part, at}; }
    void endPreview() { preview_.reset(); }
    bool hasPreview() const { return preview_.has_value(); }
    void paint(QPainter& painter, const TopologyScene& scene, const Viewport& viewport) const;

private:
    std::optional<PalettePart> placing_;
    std::optional<std::pair<PalettePart, QPointF>> preview_;
    bool linking_ = false;
};

/// Where a part from the palette would be put, as an outline; scene units.
QRectF partOutline(PalettePart part, QPointF middle);

}  // namespace stagecraft::views
