#pragma once

#include "core/cost/cost_model.h"
#include "core/model/plan.h"

#include <stop_token>
#include <vector>

namespace stagecraft::planners {

/// What the engine makes of a plan.
struct PlanCourse {
    double iterationS = 0;
    double peakBytes = 0;            ///< of the device with most
    double lackingBytes = 0;         ///< of the one that is furthest beyond its limit
    std::vector<double> lacksBytes;  ///< by device; 0: it fits
    std::vector<double> busyS;       ///< by device: in blocks that compute
    // By stage, if asked for.
    std::vector<double> waitsS;  ///< the longest between the end of a forward and the start of its backward
    std::vector<int> inFlight;   ///< microbatches at most
};
enum class CourseOf { devices, stagesToo };
/// @throws std::invalid_argument, SimulationError, in words; Cancelled once `stop` is requested
PlanCourse courseOf(const CostModel& costs, const Plan& plan, CourseOf what = CourseOf::devices,
                    const std::stop_token& stop = {});
/// Passes that the engine simulates for the plan.
double passesOf(const CostModel& costs, const Plan& plan);

}  // namespace stagecraft::planners
