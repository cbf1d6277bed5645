#pragma once

#include "core/planners/plan_run.h"

#include <optional>

namespace stagecraft {

using PlanRuns = std::vector<std::shared_ptr<const PlanRun>>;

/// What the comparison says about one plan. Numbers are missing where there is no timeline to take them from.
struct CompareNumbers {
    std::optional<double> iterationTimeS;
    std::optional<double> speedUp;     ///< slowest iteration time of all plans over this one's
    std::optional<double> againstSpp;  ///< this iteration time over SPP's, less 1; negative is faster
    std::optional<double> throughputSamplesPerS;
    std::optional<double> bubbleFraction;
    std::optional<double> peakMemoryBytes;  ///< of the device that is fullest for its limit
    double limitBytes = 0;                  ///< of that device
    int fullestDevice = -1;
    bool fitsMemory = true;
    std::optional<double> lowerBoundS;  ///< on any schedule of this plan
    std::optional<double> gap;          ///< iteration time over that bound, less 1
    std::optional<double> stages;
    std::optional<double> planningTimeS;
};

/// One entry a run. SPP is the first run with a timeline whose planner is "spp".
std::vector<CompareNumbers> compareNumbers(const PlanRuns& runs);

/// The index of that run, or -1.
int sppRun(const PlanRuns& runs);

}  // namespace stagecraft
