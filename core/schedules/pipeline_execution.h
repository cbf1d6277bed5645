#pragma once

#include "core/schedules/schedule_family.h"

#include <vector>

namespace stagecraft::schedules {

/// SPP Alg. 1, lines 1 to 8, in closed form (MODEL.md section 5).
std::vector<StageOp> peOrder(int stage, int stages, int microbatches, const ScheduleParameters&);
/// The order of the channel between stages `stage` and `stage`+1 under PE: by pass m + j, ties by the lower
/// block number j (SPP IV-A; E-SPP-6 (b)).
std::vector<ChannelOp> peChannelOrder(int stage, int stages, int microbatches);
/// The stages' orders by running the queues of Alg. 1 with a snapshot per sweep (E-SPP-4). Slow; for tests.
std::vector<std::vector<StageOp>> peOrderByQueues(int stages, int microbatches);

}  // namespace stagecraft::schedules
