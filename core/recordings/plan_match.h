#pragma once

#include "core/model/recording.h"
#include "core/recordings/recorded_passes.h"
#include "core/runs/plan_run.h"

#include <string>
#include <vector>

namespace stagecraft::recordings {

/// Why a run takes longer than planned, along what its end waited for.
enum class DelayCause : std::uint8_t {
    compute,   ///< a pass takes longer
    transfer,  ///< what it needs arrives later after it was computed
    gap,       ///< a device does nothing though it could
    wait,      ///< the plan waits there for something else, and the run does not: it is less
    order,     ///< the passes of a rank come in another order
    start,     ///< the first pass begins later
    end,       ///< after the last pass: sums of gradients, updates
};
inline constexpr int delayCauseCount = 7;
/// "longer passes", "longer transfers", …
const char* delayCauseName(DelayCause cause);

/// A pass of the run beside that of the plan, from the starts of their iterations on.
struct MatchedBlock {
    std::uint32_t recorded = noBlock, planned = noBlock;
    double laterS = 0;   ///< it starts, than planned
    double longerS = 0;  ///< it takes
    /// What it waited for last, of the recording: another device's pass or the one before it; noBlock: the
    /// start of the iteration.
    std::uint32_t behind = noBlock;
    DelayCause cause = DelayCause::start;  ///< transfer, gap or start: how it follows what it is behind
    double lagS = 0;                       ///< by how much longer it follows that than planned
};

/// A row of the table of causes.
struct DelayPart {
    DelayCause cause = DelayCause::compute;
    int stage = -1;                      ///< of the pass; -1: of none
    PassGroup group = PassGroup::other;  ///< of it, for compute
    double seconds = 0;                  ///< more than planned, of an iteration
};

/// A run against a plan, or against another run.
struct RunMatch {
    bool ofRun = false;                  ///< the other is a run too, not a plan
    double plannedS = 0, recordedS = 0;  ///< an iteration, the mean of those that count
    double differenceS() const { return recordedS - plannedS; }
    std::vector<MatchedBlock> blocks;  ///< ascending by `recorded`
    int unplanned = 0;                 ///< passes of iterations that count that the plan does not have
    int missing = 0;                   ///< passes of the plan that some of these iterations do not have
    /// They add up to the difference, most seconds first.
    std::vector<DelayPart> parts;
    double of(DelayCause cause) const;
};

/// Passes by kind, stage, microbatch and slice; iterations that count, each against that of `planned`
/// which takes as long as its median. Where there are no common passes all of the difference is of cause
/// `end`.
RunMatch matchRecordings(const Recording& planned, const Recording& recorded);
/// @param run must be ok()
RunMatch matchPlan(const PlanRun& run, const Recording& recorded);

/// In sentences: how much longer, and where that comes from, most first.
std::vector<std::string> matchTexts(const RunMatch& match);
/// "backward of stage 3" @param ofRun RunMatch::ofRun
std::string delayText(const DelayPart& part, bool ofRun);

}  // namespace stagecraft::recordings
