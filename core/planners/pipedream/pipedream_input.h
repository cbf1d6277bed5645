#pragma once

#include "core/planners/pipedream/levels.h"
#include "core/planners/pipedream/pipedream_parameters.h"
#include "core/planners/pipedream/released.h"

namespace stagecraft::planners {

/// What the partitioner as printed is given.
struct PipeDreamInput {
    PipeDreamMachines machines;
    PipeDreamWork work;
    PipeDreamRules rules;
};
/// @throws std::invalid_argument for bandwidths that cannot be read
PipeDreamInput pipeDreamInput(const CostModel& costs, const PipeDreamChoices& choices);
/// What the released planner is given: the antichains of the graph, if they are not too many, and layers.
struct ReleasedInput {
    std::optional<PipeDreamStates> antichains;
    PipeDreamStates layers;
    /// Of a partition between layers: a component for each where a straight pipeline has more devices than
    /// that.
    std::vector<PipeDreamLevel> layerLevels;
    ReleasedOptions options;
};
/// @throws Cancelled
ReleasedInput releasedInput(const CostModel& costs, const PipeDreamChoices& choices,
                            const PipeDreamMachines& machines, const WorkContext& context = {});
PipeDreamMachines pipeDreamMachines(const CostModel& costs, const PipeDreamChoices& choices);

}  // namespace stagecraft::planners
