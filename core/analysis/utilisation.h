#pragma once

#include "core/analysis/metrics.h"

#include <optional>
#include <vector>

namespace stagecraft::analysis {

/// What a device does with its time, as shares of the iteration time (vPipe Figs. 10 and 11).
struct DeviceUtilisation {
    int device = 0;
    /// The arithmetic of the mini-batch that it does, in the time that this takes at the reference microbatch
    /// and the device's own speed. vPipe's effective utilisation: without waiting, recompute, and what small
    /// microbatches lose.
    double useful = 0;
    double busy = 0;       ///< forward, backward and weight gradient, as long as they last
    double recompute = 0;  ///< work that is done a second time, as long as it lasts
    double swapStall = 0;  ///< idle, because what was swapped out is not back yet
    double hostLink = 0;   ///< its link to host memory swaps

    double busyInAll() const { return busy + recompute; }
    /// What is recomputed, in the same units as `useful`.
    double repeated() const { return useful == busy ? recompute : useful * recompute / busy; }
};

/// By device index, of a plan that was simulated.
/// @param reference the same network and cluster at the microbatch size whose speed is the measure; null: the
/// plan's own
std::vector<DeviceUtilisation> utilisation(const CostModel& costs, const Plan& plan, const Metrics& metrics,
                                           const Timeline& timeline, const CostModel* reference = nullptr);

/// Over the devices that the plan uses.
struct UtilisationMeans {
    double useful = 0, usefulAndRepeated = 0, busy = 0, recompute = 0;
};
UtilisationMeans meansOver(const Plan& plan, const std::vector<DeviceUtilisation>& devices);

/// Useful work of all devices together, in devices of speed 1 that always compute: the throughput times what
/// a sample takes the reference GPU. Devices that go by times of their own type count as fast as they are for
/// all layers together (CostModel::speedOf).
double usefulDevices(const CostModel& costs, const std::vector<DeviceUtilisation>& devices);
/// With what is recomputed.
double usefulAndRepeatedDevices(const CostModel& costs, const std::vector<DeviceUtilisation>& devices);

/// Samples per second if memory had no limit and the work could always be shared evenly among that many
/// stages (vPipe Sec. 6): all devices compute all the time, and under a barrier the pipeline still fills and
/// drains, so that (M + stages - 1) / M of that time is needed.
double idealThroughputSamplesPerS(const CostModel& costs, int stages);
/// The same as a measure of a plan: nothing where that is not how the plan works, or the plan does better.
/// With a barrier it is the measure of one pipeline that fills and drains with whole backwards, one stage on
/// a device.
std::optional<double> idealThroughputOf(const CostModel& costs, const Plan& plan, const Metrics& metrics);

}  // namespace stagecraft::analysis
