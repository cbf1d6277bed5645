#pragma once

#include "core/schedules/periodic_pattern.h"

#include <optional>
#include <vector>

namespace stagecraft::schedules {

/// 1F1B* of MadPipe 4.1: for stages on processors of their own, the periodic pattern of a period with the
/// fewest active batches on all of them at once (Proposition 1). Transfers are stages of their own whose
/// forward and backward share a half-duplex link.
struct OneForwardOneBackwardStar {
    double periodS = 0;
    std::vector<int> groups;      ///< by task of the path's first half; group 1 holds the last stage
    std::vector<double> startsS;  ///< by task of the path: of the batch that enters at 0

    PeriodicSchedule pattern(const std::vector<PatternTask>& path) const {
        return patternOf(path, startsS, periodS);
    }
};

/// Groups of the first half's tasks at that period, or nothing if one of them (forward and backward) takes
/// longer than the period (E-MP-4).
std::optional<std::vector<int>> starGroups(const std::vector<PatternTask>& path, double periodS);
std::optional<OneForwardOneBackwardStar> oneForwardOneBackwardStar(const std::vector<PatternTask>& path,
                                                                   double periodS);

/// The least period at which stage s needs at most mostActive[s] batches, for all stages; nothing if an entry
/// is below 1 or there is no task. It is the sum of some tasks that follow one another, for only there do
/// groups change.
std::optional<double> leastStarPeriodS(const std::vector<PatternTask>& path,
                                       const std::vector<int>& mostActive);

}  // namespace stagecraft::schedules
