#pragma once

#include "core/base/rooms.h"

#include <QString>

#include <vector>

namespace stagecraft::views {

/// What can be taken from the palette and put onto the canvas; a machine is chosen by its name first.
enum class PalettePart { gpu, server, pcieSwitch, nvSwitch, networkSwitch, socket, nic, machine };

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
