#pragma once

#include "core/analysis/evaluation.h"

#include <string>

namespace stagecraft::runs {

/// What a plan whose schedule deviates from its family's fixed order trades against that: the iteration, the
/// longest span of a device and the peak memory of both, as a sentence. Empty where it follows it.
/// @param evaluation of the plan, with these costs
std::string noteOnDeviation(const CostModel& costs, const Plan& plan, const Evaluation& evaluation);

}  // namespace stagecraft::runs
