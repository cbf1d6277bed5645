#pragma once

#include "core/planners/madpipe/madpipe.h"

#include <functional>
#include <vector>

namespace stagecraft::planners {

/// A plan of which no other needs less peak memory per device and is no slower.
struct ParetoPoint {
    double memoryBytes = 0;  ///< the peak over the devices
    double periodS = 0;      ///< seconds per microbatch
    bool proven = false;     ///< as MadPipeOutcome
    Plan plan;
    /// Period by the first phase that led to the plan.
    double expectedS = std::numeric_limits<double>::infinity();
};

struct ParetoOptions {
    MadPipeOptions plans;  ///< which allocations, and how they are scheduled
    double fromBytes = 0;  ///< memories per device between these
    double toBytes = std::numeric_limits<double>::infinity();
    /// From one point to the next the limit falls by this share of the memory, at least. 0: contiguous plans
    /// lose none then; for the others each step is worth a plan, so that it is a hundredth.
    double step = 0;
    /// May be empty; each point as it is found, the one with most memory first.
    std::function<void(const ParetoPoint&)> found;
};

/// What devices of equal memory can do with how much of it: the fastest first. For contiguous plans that is
/// the whole curve (Proposition 1); for the others what MadPipe finds.
/// @throws Cancelled
std::vector<ParetoPoint> paretoCurve(const CostModel& costs, const ParetoOptions& options,
                                     const WorkContext& context = {});

/// Appends a point with less memory than those before. It can turn out faster than they are, for the
/// first phase estimates; those go then.
void keepPareto(std::vector<ParetoPoint>& curve, const ParetoPoint& point);

/// "Fastest at this memory" and "least memory at that speed"; nullptr if no point of the curve will do.
const ParetoPoint* fastestWithin(const std::vector<ParetoPoint>& curve, double memoryBytes);
const ParetoPoint* leanestWithin(const std::vector<ParetoPoint>& curve, double periodS);

}  // namespace stagecraft::planners
