#pragma once

#include "core/cost/cost_model.h"

namespace stagecraft::cost {

/// How many devices share out the states of the stage's layers under the setup's ZeRO, the mean over its
/// parameters' bytes; 1 without it.
double sharersOfStates(const CostModel& costs, const Plan& plan, int stage);

/// Bytes that each device of the stage reads and writes in the optimizer's step, of the parameters whose
/// states it has: gradients are read, master weights and moments read and written, weights written; where
/// there are no master weights, weights are read too. Mixed precision under Adam with gradients of 4 bytes
/// takes 4 + 2 * 4 + 2 * 8 + 2 = 30 a number, fp32 under SGD 12 (states: Rajbhandari et al., ZeRO, SC 2020,
/// Sec. 3.1).
double updateBytes(const CostModel& costs, const Plan& plan, int stage);

/// Seconds that these take at the setup's rate in synchronous training; 0 where it has none.
double updateS(const CostModel& costs, const Plan& plan, int stage);

}  // namespace stagecraft::cost
