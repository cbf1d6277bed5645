#pragma once

#include "core/base/work_context.h"
#include "core/programs/recognised_schedule.h"
#include "core/recordings/idle_parts.h"
#include "core/recordings/recorded_passes.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::recordings {

/// What a device that computes did in an iteration: times on the mean of those that count.
struct RankFindings {
    int lane = 0;
    std::vector<int> devices{};
    std::vector<int> stages{};  ///< ascending
    double busyS = 0;
    double idleS = 0;      ///< with busyS the iteration
    IdleParts idle{};      ///< they add up to idleS
    double idleShare = 0;  ///< of an iteration, the median
    /// Of an iteration, the mean: it goes with busyS and idleS.
    double meanIdleShare() const { return busyS + idleS > 0 ? idleS / (busyS + idleS) : 0; }
};

/// What a recording says by itself.
struct RecordingFindings {
    int stages = 0, ranks = 0;  ///< ranks that have passes
    int chunks = 0;             ///< stages of the rank with most
    int microbatches = 0, slices = 1;
    int iterations = 0, warmUps = 0;          ///< all; of them left out below
    int firstCounted = -1, lastCounted = -1;  ///< iterations; -1: none
    double iterationS = 0;                    ///< the median
    double leastIterationS = 0, mostIterationS = 0;
    int typicalIteration = -1;  ///< of those that count the one nearest the median; -1: none
    std::vector<RankFindings> ranksFound{};
    int slowest = -1;      ///< of ranksFound: the one that computes most
    double idleShare = 0;  ///< of all ranks together, the median over the iterations
    IdleParts idle{};      ///< of all ranks
    int straggler = -1;    ///< a stage whose rank is slower than the others (slowStage()); -1: none
    std::vector<std::array<RecordedTimes, passGroupCount>> times{};  ///< [stage][PassGroup]
    std::vector<TransferLag> lags{};
    std::optional<RecognisedSchedule> schedule{};  ///< nothing: it could not be told, and `reason` says why
    std::string reason{};
    /// 1F1B that BPipe's evictions would look like: neither memory nor what is moved is recorded.
    bool mayEvict = false;

    bool hasPasses() const { return !ranksFound.empty(); }
    /// "This is 1F1B", or why that is not known.
    std::string family() const;
    double idleS() const { return idle.totalS(); }
    /// Which iterations count: "1–19"; with others between them "18 of 1–19".
    std::string countedText() const;
};

/// @param named whether the schedule is to be told, which simulates it and compares it with all families
/// @throws Cancelled
RecordingFindings findingsOf(const Recording& recording, bool named = true, const WorkContext& context = {});

/// Of the rank that waits most between its first gradient and its last forward, what for: "rank1 (stage 1)
/// waits for transfers, not for compute, for 38 ms of each iteration."; empty where it is little or of no one
/// cause.
std::string waitingText(const Recording& recording, const RecordingFindings& findings);
/// The findings as sentences, the most important first: what it is, how long it takes, where time is lost.
std::vector<std::string> findingTexts(const Recording& recording, const RecordingFindings& findings);

}  // namespace stagecraft::recordings
