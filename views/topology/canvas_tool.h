#pragma once

#include "views/topology/machine_choice.h"
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
    /// Places machines of that name. @return whether that is a change
    bool setPlacing(MachineChoice machine);
    /// The one that was chosen last.
    const MachineChoice& machine() const { return machine_; }
    bool setLinking(bool linking);
    std::optional<PalettePart> placing() const { return placing_; }
    bool isLinking() const { return linking_; }
    bool isActive() const { return placing_ || linking_; }

    /// Shows the outline of a part at a point of the widget.
    void preview(PalettePart part, QPointF at) { preview_ = {part, at}; }
    void endPreview() { preview_.reset(); }
    bool hasPreview() const { return preview_.has_value(); }
    void paint(QPainter& painter, const TopologyScene& scene, const Viewport& viewport) const;
    /// Where a part would be put, as an outline; scene units.
    QRectF outline(PalettePart part, QPointF middle) const;

private:
    std::optional<PalettePart> placing_;
    std::optional<std::pair<PalettePart, QPointF>> preview_;
    MachineChoice machine_;
    bool linking_ = false;
};

}  // namespace stagecraft::views
