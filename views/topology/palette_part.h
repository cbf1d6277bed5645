#pragma once

#include "core/base/rooms.h"

#include <QString>

#include <vector>

namespace stagecraft::views {

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

}  // namespace stagecraft::views
