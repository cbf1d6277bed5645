#include "core/analysis/flops_utilisation.h"

#include <algorithm>
#include <set>

namespace stagecraft::analysis {

std::optional<FlopsUtilisation> flopsUtilisation(const CostModel& costs, const Plan& plan,
                                                 const Metrics& metrics) {
    constexpr double forwardAndBackward = 3;
    const Problem& problem = costs.problem();
    const std::optional<double> forward = problem.profile.forwardFlops();
    if (!forward || !problem.profile.peakFlops || !(metrics.iterationTimeS > 0)) return std::nullopt;
    std::set<int> used;
    for (const Stage& stage : plan.stages) used.insert(stage.devices.begin(), stage.devices.end());
    FlopsUtilisation found{.modelFlops = forwardAndBackward * *forward * problem.setup.microbatches,
                           .iterationS = metrics.iterationTimeS,
                           .devices = static_cast<int>(used.size())};
    // What a type of GPU takes for the layers says nothing of its peak.
    if (std::ranges::any_of(used, [&costs](int device) { return costs.paceOf(device).kind > 0; }))
        return std::nullopt;
    for (const int device : used)
        found.peakFlops +=
            *problem.profile.peakFlops * problem.cluster.devices[static_cast<std::size_t>(device)].speed;
    if (!(found.peakFlops > 0) || !(found.modelFlops > 0)) return std::nullopt;
    return found;
}

}  // namespace stagecraft::analysis
