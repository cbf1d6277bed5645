#pragma once

#include "core/planners/pipedream/levels.h"
#include "core/planners/pipedream/pipedream_parameters.h"

namespace stagecraft::planners {

/// What the partitioner as printed is given.
struct PipeDreamInput {
    PipeDreamMachines machines;
    PipeDreamWork work;
    PipeDreamRules rules;
};
/// @throws std::invalid_argument for bandwidths that cannot be read
PipeDreamInput pipeDreamInput(const CostModel& costs, const PipeDreamChoices& choices);
PipeDreamMachines pipeDreamMachines(const CostModel& costs, const PipeDreamChoices& choices);

}  // namespace stagecraft::planners
