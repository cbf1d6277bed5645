#include "views/topology/link_colours.h"

#include "views/common/colour_mixing.h"
#include "views/common/theme.h"

#include <algorithm>
#include <array>

namespace stagecraft::views::topology {

namespace {

const QColor fabricInk(0x00, 0x86, 0x62), networkInk(0x00, 0x72, 0xB2), plainInk(0x70, 0x76, 0x80);

}  // namespace

LinkFamily linkFamily(const std::string& kind) {
    constexpr std::array fabrics = {"nvlink", "nvswitch", "xgmi", "infinity fabric", "c2c"};
    constexpr std::array networks = {"network", "ethernet", "infiniband", "rdma", "roce", "efa"};
    if (std::find(fabrics.begin(), fabrics.end(), kind) != fabrics.end()) return LinkFamily::fabric;
    if (std::find(networks.begin(), networks.end(), kind) != networks.end()) return LinkFamily::network;
    return LinkFamily::other;
}

QColor linkInk(const std::string& kind) {
    switch (linkFamily(kind)) {
        case LinkFamily::fabric:
            return fabricInk;
        case LinkFamily::network:
            return networkInk;
        case LinkFamily::other:
            break;
    }
    return plainInk;
}

QColor linkColour(const std::string& kind) {
    const Theme& theme = Theme::current();
    if (linkFamily(kind) == LinkFamily::other) return laidOver(theme.mutedText, theme.surface, 0.6);
    return laidOver(theme.text, linkInk(kind), theme.surface.lightness() < 128 ? 0.25 : 0.0);
}

}  // namespace stagecraft::views::topology
