#pragma once

#include "core/analysis/metrics.h"

#include <optional>

namespace stagecraft::analysis {

/// What a plan reaches of the peaks of its devices.
struct FlopsUtilisation {
    double modelFlops = 0;  ///< FLOP of an iteration
    double iterationS = 0;
    double peakFlops = 0;  ///< FLOP/s of the devices that hold a stage, together
    int devices = 0;       ///< that hold one

    /// MFU: model FLOPs utilisation, of 1.
    double share() const { return modelFlops / iterationS / peakFlops; }
    double flopsPerDevice() const { return modelFlops / iterationS / devices; }  ///< FLOP/s
};

/// Model FLOPs utilisation (Chowdhery et al., PaLM, 2022, App. B): what a forward and a backward of the model
/// take, which is three times its forward, over what the devices could compute in the time of an iteration.
/// What is recomputed does not count, unlike in the hardware FLOPs utilisation of Korthikanti et al., MLSys
/// 2023, Sec. 6.3; what a causal mask hides does. A device's peak is the profile's GPU's times its speed.
/// Nothing where the profile does not know its operations or its GPU's peak, or nothing takes time.
/// @param costs under the plan's own setup, as `metrics` has it
std::optional<FlopsUtilisation> flopsUtilisation(const CostModel& costs, const Plan& plan,
                                                 const Metrics& metrics);

}  // namespace stagecraft::analysis
