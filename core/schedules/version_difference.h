#pragma once

#include "core/cost/cost_model.h"

namespace stagecraft::schedules {

/// XPipe Eq. (1) and (2) as printed, rounded half to even: the updates that a bellwether expects between its
/// pass on GPU `rank` of `size` and the end of its mini-batch's last backward on GPU 0. T microbatches a
/// mini-batch.
int printedForwardDifference(int size, int rank, int microbatches);
int printedBackwardDifference(int rank, int microbatches);
/// What these are in steady state if all passes take equally long (E-XP-3), the mini-batch's own update not
/// counted. For T = 1 it is SpecTrain's.
int exactForwardDifference(int size, int rank, int microbatches);
int exactBackwardDifference(int rank, int microbatches);

/// FamilySchedule::parameters, under predicted weights: what a prediction takes, in seconds for each byte of
/// the stage's parameters.
inline constexpr const char* predictionParameter = "prediction_s_per_byte";
/// Seconds that the first forward, or backward, of a mini-batch on that stage takes besides, for it predicts
/// the weights for all of them; 0 where no update is expected, for nothing is predicted then. Plans that
/// count the updates on their timeline are taken at the exact closed form.
double predictionS(const CostModel& costs, const Plan& plan, int stage, bool backward);

}  // namespace stagecraft::schedules
