#pragma once

#include "core/cost/cost_model.h"

#include <optional>

namespace stagecraft::planners {

/// Which part of a layer's forward a backward takes again; 0 to 1.
double takenAgain(const Layer& layer, LayerMemory memory);

/// The memory policy of every layer that the setup asks for; nothing where all are kept.
std::optional<LayerMemory> askedRecomputation(const TrainingSetup& setup);

/// What a planner is given that does not decide itself what is recomputed: layers that store what they keep
/// under the setup's recomputation and whose backwards take as much longer, on devices that have less memory
/// by what the largest layer brings back.
CostModel underRecomputation(const CostModel& costs);

/// Devices that have less memory by what the setup reserves on each, and a setup that reserves nothing.
CostModel withoutReserved(const CostModel& costs);

/// Devices that are as fast as their type was measured to be for all layers together, where a planner knows
/// of a speed alone; where all are of one type, the profile as it was measured on that.
CostModel withAverageSpeeds(const CostModel& costs);

/// Whether all devices go by the times that were measured on one type.
bool areOfOneType(const CostModel& costs);

/// The plan with every layer that it keeps under that policy.
Plan withRecomputation(Plan plan, int layers, LayerMemory memory);

}  // namespace stagecraft::planners
