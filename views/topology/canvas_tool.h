#pragma once

#include "core/model/cluster.h"
#include "views/common/viewport.h"
#include "views/topology/pick_popup.h"
#include "views/topology/topology_scene.h"

#include <QPainter>
#include <QSizeF>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace stagecraft::views::topology {

/// What can be taken from the palette and put onto the canvas; what a machine is, or a rack is of, is
/// chosen by name first.
enum class PalettePart { gpu, server, pcieSwitch, nvSwitch, networkSwitch, socket, nic, machine, rack };

/// Whether a person says by name which one is meant before it is placed.
constexpr bool isChosenByName(PalettePart part) {
    return part == PalettePart::machine || part == PalettePart::rack;
}

/// A part as it is offered.
struct PaletteEntry {
    PalettePart part;
    const char* id;  ///< "gpu", for actions and tests
    const char* icon;
    QString name;  ///< "GPU"
    QString what;  ///< a line more
};

const std::vector<PaletteEntry>& paletteEntries();
const PaletteEntry& paletteEntry(PalettePart part);

/// A machine that people know by its name, to be put onto the canvas as a whole.
struct MachineChoice {
    PalettePart part = PalettePart::machine;
    QString name;                            ///< "DGX H100 (HGX H100)"
    std::shared_ptr<const Cluster> cluster;  ///< one of it; null: none is chosen
    QSizeF size;                             ///< as it is drawn, scene units
};

/// Whether every word is in the text, in capitals or not.
bool hasWords(const QString& text, const QString& words);

/// Machines whose name or description has every word, in the order in which templates offer them.
std::vector<PickEntry> machinesFor(const QString& words);
/// Those servers that racks are made of.
std::vector<PickEntry> rackServersFor(const QString& words);
/// The machine that an entry stands for.
MachineChoice machineOf(int index);
/// A rack of so many of the server that an entry represents.
MachineChoice rackOf(int index, int servers);

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

}  // namespace stagecraft::views::topology
