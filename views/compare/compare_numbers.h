#pragma once

#include "core/planners/plan_run.h"

#include <optional>

namespace stagecraft {

using PlanRuns = std::vector<std::shared_ptr<const PlanRun>>;

/// What the comparison says about one plan. Numbers are missing where there is no timeline to take them from.
struct CompareNumbers {
    std::optional<double> iterationTimeS;
    std::optional<double> speedUp;  ///< the iteration time of Baselines::speedUp over this one's
    /// This iteration time over that of Baselines::against, less 1; negative is faster.
    std::optional<double> against;
    std::optional<double> share;  ///< of the slowest iteration time of all that are compared
    std::optional<double> throughputSamplesPerS;
    std::optional<double> bubbleFraction;
    std::optional<double> peakMemoryBytes;  ///< of the device closest to its limit
    double limitBytes = 0;                  ///< of that device
    int peakDevice = -1;
    bool fitsMemory = true;
    std::optional<double> lowerBoundS;  ///< on any schedule of this plan
    std::optional<double> gap;          ///< iteration time over that bound, less 1
    std::optional<double> stages;
    std::optional<double> planningTimeS;
};

/// What speed-ups and percentages are against: indices of runs, -1 for none.
struct Baselines {
    int speedUp = -1;
    int against = -1;
};
/// Both are the run that a person chose, if it has a timeline. Else a speed-up is over the slowest plan that
/// fits into memory (the slowest of all, if none does), and percentages are against the first that SPP made.
/// Plans made for another problem are no baselines by themselves.
Baselines baselinesOf(const PlanRuns& runs, int chosen = -1);

/// One entry per run. Plans made for another problem have no speed-up, percentage or share.
std::vector<CompareNumbers> compareNumbers(const PlanRuns& runs, const Baselines& baselines);

}  // namespace stagecraft
