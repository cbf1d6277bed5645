#pragma once

#include "core/cost/stage_edges.h"
#include "core/model/timeline.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::analysis {

/// Where blocks first had to share a link, and what that cost (LinkSharing::shared).
struct Contention {
    std::string link;                    ///< the way: "s0g0 → s0"
    double atS = 0;                      ///< from when on
    std::vector<std::uint32_t> blocks;   ///< under way on it then, that which was slowed down first
    double aloneS = 0, tookS = 0;        ///< of the first of them
    int slowedCount = 0, sentCount = 0;  ///< blocks that took longer than alone, and all that use links
    double laterS = 0;                   ///< by how much those took longer, added up
    bool countsPasses = false;           ///< among those, passes whose group sends

    /// Two sentences with numbers.
    std::vector<std::string> sentences(const Timeline& timeline) const;
};

/// Of the first iteration alone if `firstAlone`. Nothing if no block had to share a link.
std::optional<Contention> firstContention(const CostModel& costs, const Plan& plan,
                                          const SharedStageEdges& edges, const Timeline& timeline,
                                          bool firstAlone);

}  // namespace stagecraft::analysis
