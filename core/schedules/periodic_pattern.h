#pragma once

#include "core/cost/cost_model.h"
#include "core/model/plan.h"

#include <vector>

namespace stagecraft::schedules {

/// A forward, backward or transfer of one batch.
struct PatternTask {
    BlockKind kind = BlockKind::forward;
    int stage = 0;  ///< of a transfer: the one below it
    double seconds = 0;
};

/// What one batch goes through, in order: up the stages and their transfers, and back down, so that task i is
/// answered by task n-1-i. No transfer where two stages follow one another on the same devices.
/// @throws std::invalid_argument if the stages are no chain in which each feeds the next one alone
std::vector<PatternTask> batchPath(const CostModel& costs, const std::vector<Stage>& stages);

/// The pattern in which the batch that enters at 0 runs task i at startsS[i], and the next one a period
/// later.
PeriodicSchedule patternOf(const std::vector<PatternTask>& path, const std::vector<double>& startsS,
                           double periodS);

/// By stage: how many batches it stores at most, each from the start of its forward to the end of its
/// backward (E-MP-10). Under 1F1B* that is the number of the stage's group, and stages of one number that
/// follow one another are a group (MadPipe 4.1).
/// @throws std::invalid_argument as batchPath(), or if the pattern lacks a forward or a backward
std::vector<int> activeBatches(const CostModel& costs, const std::vector<Stage>& stages,
                               const PeriodicSchedule& pattern);

}  // namespace stagecraft::schedules
