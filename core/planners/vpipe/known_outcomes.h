#pragma once

#include "core/cost/cost_model.h"
#include "core/model/plan.h"

#include <map>
#include <vector>

namespace stagecraft::planners::vpipe {

/// What is known of plans and partitions of one problem, whatever memory its devices have: runs of Algorithm 1 for
/// several limits share it.
struct KnownOutcomes {
    /// Stages, their devices, and the layers that are not kept.
    using PlanKey = std::vector<int>;
    static PlanKey keyOf(const std::vector<Stage>& stages, const MemoryPolicy& memory);

    struct Outcome {
        std::vector<double> peakBytes;  ///< by device
        double iterationTimeS = 0;

        bool fits(const Problem& problem) const;
    };
    std::map<PlanKey, Outcome> brief;    ///< of the few mini-batches that a round is fitted to
    std::map<PlanKey, Outcome> longRun;  ///< of the timeline that a plan is shown with
    std::map<std::vector<double>, std::vector<int>> bounds;  ///< Algorithm 3's, by the layers' times
};

}  // namespace stagecraft::planners::vpipe
