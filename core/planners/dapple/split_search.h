#pragma once

#include "core/base/work_context.h"
#include "core/cost/cost_model.h"
#include "core/planners/dapple/placement.h"

#include <vector>

namespace stagecraft::planners {

enum class DappleFormula { paper, released };

struct DappleSplit {
    std::vector<Stage> stages;
    double lengthS = 0;  ///< of an iteration by the formula
};

/// Of a set of layers and a number of devices this many sets of devices are kept: those with which the
/// iteration is shortest. Clusters of two servers have fewer than that up to seven GPUs each.
inline constexpr int dappleSetsKept = 8;

/// What the search may keep of the sets of devices that it meets: some 200 devices' worth.
inline constexpr double dappleSetsLimitBytes = 4.0 * 1024 * 1024 * 1024;

/// DAPPLE's dynamic program: T(j, m, g) is the length of the iteration with the first j layers on m devices
/// g, and all other layers as one last stage on all other devices. The next stage starts at j, ends before
/// each j' > j and takes each number of devices, placed in each of the ways given. Of each (j, m, g) the
/// shortest is kept (of each (j, m) dappleSetsKept of them), ties to the first found; what has a step, or has
/// left work for the other devices, that alone takes longer than the shortest iteration met so far is passed
/// over. What is kept is short
/// with that last stage, which the next step cuts up: the result is the shortest that is met on the way, and
/// not always the shortest there is.
/// With the released formula it runs once for each number of equal pipelines side by side that divides D,
/// each stage having a multiple of that many devices, and the shortest of all is taken. Time O(L^2 D^2) for L
/// layers and D devices, memory O(L D) and that of the sets of devices met.
/// @throws Cancelled
/// @throws std::runtime_error if those take more than mostBytes; what it says names what may fit
DappleSplit dappleSplit(const CostModel& costs, DappleFormula formula,
                        const std::vector<DapplePlacement>& placements, const WorkContext& context,
                        double mostBytes = dappleSetsLimitBytes);

}  // namespace stagecraft::planners
