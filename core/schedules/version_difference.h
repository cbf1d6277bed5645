#pragma once

#include "core/base/rooms.h"

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

}  // namespace stagecraft::schedules
