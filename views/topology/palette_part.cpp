#include "views/topology/palette_part.h"

#include <QCoreApplication>

#include <algorithm>

namespace stagecraft::views {

const std::vector<PaletteEntry>& paletteEntries() {
    const auto tr = [](const char* text) { return QCoreApplication::translate("Palette", text); };
    static const std::vector<PaletteEntry> entries = {
        {PalettePart::gpu, "gpu", "gpu", tr("GPU"), tr("inside a server, or as its own server")},
        {PalettePart::server, "server", "server", tr("server"), tr("four GPUs on a PCIe switch")},
        {PalettePart::pcieSwitch, "pcieSwitch", "switch-pcie", tr("PCIe switch"), tr("inside a server")},
        {PalettePart::nvSwitch, "nvSwitch", "switch-nv", tr("NVSwitch"), tr("inside a server")},
        {PalettePart::networkSwitch, "networkSwitch", "switch-network", tr("network switch"),
         tr("between servers")},
        {PalettePart::socket, "socket", "socket", tr("CPU socket"),
         tr("inside a server, above PCIe switches")},
        {PalettePart::nic, "nic", "nic", tr("network card"),
         tr("inside a server, where links to others leave")},
        {PalettePart::machine, "machine", "search", tr("named server"),
         tr("DGX H100, MI300X, a rack of GB200 and others")},
        {PalettePart::rack, "rack", "rack", tr("rack"), tr("equal servers below a top-of-rack switch")},
    };
    return entries;
}

const PaletteEntry& paletteEntry(PalettePart part) {
    return *std::find_if(paletteEntries().begin(), paletteEntries().end(),
                         [part](const PaletteEntry& entry) { return entry.part == part; });
}

}  // namespace stagecraft::views
