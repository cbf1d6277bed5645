#pragma once

#include "core/schedules/schedule_family.h"

#include <vector>

namespace stagecraft::schedules {

/// `warmUp` forwards (at most all), then a forward and a backward in turn, then the backwards that are left.
std::vector<StageOp> warmUpOrder(int warmUp, int microbatches);
/// The same of input gradients; weight gradients are still to be put in.
std::vector<StageOp> splitWarmUpOrder(int warmUp, int microbatches);

}  // namespace stagecraft::schedules
