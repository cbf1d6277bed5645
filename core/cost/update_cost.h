#pragma once

#include "core/cost/cost_model.h"

namespace stagecraft::cost {

/// How many devices share out the states of the stage's layers under the setup's ZeRO, the mean over its
/// parameters' bytes; 1 without it.
double sharersOfStates(const CostModel& costs, const Plan& plan, int stage);

/// Whether updates take time: in synchronous training, at the setup's rate.
bool updatesTakeTime(const TrainingSetup& setup);

/// Bytes that the optimizer's step reads and writes for each byte of parameters in the profile, on a device
/// that has all of their states.
double updateBytesOfEach(const Problem& problem);

/// Bytes that each device of the stage reads and writes in the optimizer's step, of the parameters whose
/// states it has: gradients are read, master weights and moments read and written, weights written; where
/// there are no master weights, weights are read too. Mixed precision under Adam with gradients of 4 bytes
/// takes 4 + 2 * 4 + 2 * 8 + 2 = 30 a number, fp32 under SGD 12 (states: Rajbhandari et al., ZeRO, SC 2020,
/// Sec. 3.1). Where gradients are clipped by their norm they are read once more for it, and read and written
/// once more to be scaled: 12 besides, of gradients of 4 bytes.
double updateBytes(const CostModel& costs, const Plan& plan, int stage);

/// Seconds that these take at the setup's rate in synchronous training; 0 where it has none.
double updateS(const CostModel& costs, const Plan& plan, int stage);

/// Seconds that each device of the stage takes, before copies sum gradients, for what Megatron-LM does with
/// all that it holds of them (GradientPasses::megatron): they are written once to be zero, which is counted
/// here with the rest, read once to be checked and, where copies sum them, read and written once to be scaled
/// (core/distributed/param_and_grad_buffer.py: reset, check_grads, start_grad_sync). 0 without them.
/// @param isSummed whether copies sum the stage's gradients
double gradientPassS(const CostModel& costs, const Plan& plan, int stage, bool isSummed);

}  // namespace stagecraft::cost
