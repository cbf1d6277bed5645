#pragma once

#include "core/base/rooms.h"

#include <string>
#include <vector>

namespace stagecraft::model {

/// Which of the two rates of a link's technology a cluster has: what transfers reach, or what the data sheet
/// prints.
enum class LinkRates { reached, dataSheet };

// The choice as templates, imports and the command line have it.
inline constexpr char linkRatesName[] = "rates", reachedChoice[] = "reached",
                      dataSheetChoice[] = "data-sheet";
/// `reached` for anything but `dataSheetChoice`.
LinkRates linkRatesOf(const std::string& choice);

/// A kind of link and its rates, in bytes per second (10^9 a GB), one way. Data sheets often print the sum of
/// both ways. 0: no source gives that rate.
struct LinkTechnology {
    const char* id;               ///< "nvlink-4"
    const char* name;             ///< "NVLink 4 (H100, H200)"
    const char* unit;             ///< what has that rate: "link", "16 lanes", "port"
    double dataSheetBps;          ///< before protocols: raw less the coding of the line
    const char* dataSheetSource;  ///< where that was seen; empty: nowhere
    double reachedBps;            ///< what NCCL or RCCL counts when it plans
    const char* reachedSource;    ///< likewise

    /// That of the choice, and the other one where there is no source for it.
    double bps(LinkRates rates) const;
};

/// All that are known, by family and generation.
const std::vector<LinkTechnology>& linkTechnologies();

/// NVLink of a GPU by its compute capability (70 is 7.0).
const LinkTechnology& nvlinkTechnology(int computeCapability);
/// xGMI of a GPU by its architecture, "gfx" left off: "90a", "942".
const LinkTechnology& xgmiTechnology(const std::string& gfx);
/// 16 lanes of a generation, clamped to 1 to 6.
const LinkTechnology& pcieTechnology(int generation);
/// A network port with that rate on its data sheet; nullptr: none is known.
/// @param kind as Link::kind: InfiniBand for "infiniband", Ethernet else
const LinkTechnology* portTechnology(const std::string& kind, double dataSheetBps);
/// nullptr: there is none of that id.
const LinkTechnology* findLinkTechnology(const std::string& id);

}  // namespace stagecraft::model
