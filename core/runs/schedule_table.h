#pragma once

#include "core/schedules/schedule_family.h"

#include <string>
#include <vector>

namespace stagecraft::runs {

/// A network of equal layers on equal devices, one pipeline: what schedules are compared on in papers.
struct UniformPipeline {
    int devices = 8;
    int microbatches = 32;
    /// Of all layers of a device together, for one microbatch; any unit.
    double forward = 1, inputGradient = 1, weightGradient = 1;
    double transfer = 0;  ///< between two devices, in the same unit; each direction of a link carries its own
};

/// A schedule on it. Where the family has several stages a device they share the device's layers.
struct ScheduleRow {
    const ScheduleFamily* family = nullptr;
    std::string reason;                ///< why the family does not apply; empty if it does
    std::vector<std::string> notes{};  ///< what is to be said of its order
    double makespan = 0;               ///< in the pipeline's unit
    double bubbles = 0;                ///< share of the devices' time, 0 to 1
    double peak = 0;                   ///< of a device, in the activations that it keeps for one microbatch
};

/// Every family with its default parameters, simulated and validated.
/// @throws std::invalid_argument for numbers that are not positive, or a negative transfer
std::vector<ScheduleRow> scheduleTable(const UniformPipeline& pipeline);

}  // namespace stagecraft::runs
