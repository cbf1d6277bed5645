#pragma once

#include "core/simulation/metrics.h"

#include <vector>

namespace stagecraft {

/// What a device does with its time, as shares of the iteration time (vPipe Figs. 10 and 11).
struct DeviceUtilisation {
    int device = 0;
    double effective = 0;  ///< forward, backward and weight gradient
    double recompute = 0;  ///< work that is done a second time
    double swapStall = 0;  ///< idle, because what was swapped out is not back yet
    double hostLink = 0;   ///< its link to host memory swaps

    double total() const { return effective + recompute; }
};

/// By device index.
std::vector<DeviceUtilisation> utilisation(const Metrics& metrics, const Timeline& timeline);

/// Samples per second if memory had no limit and the work could always be shared evenly among that many
/// stages (vPipe Sec. 6): all devices compute all the time, and under a barrier the pipeline still fills and
/// drains, so that (M + stages - 1) / M of that time is needed.
double idealThroughputSamplesPerS(const CostModel& costs, int stages);

}  // namespace stagecraft
