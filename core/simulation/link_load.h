#pragma once

#include "core/simulation/metrics.h"

namespace stagecraft {

/// What each link of the cluster carries in one iteration that takes `iterationTimeS`; by link index.
std::vector<LinkLoad> linkLoads(const CostModel& costs, const Plan& plan, double iterationTimeS);

}  // namespace stagecraft
