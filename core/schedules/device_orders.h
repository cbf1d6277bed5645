#pragma once

#include "core/cost/stage_edges.h"
#include "core/schedules/schedule_family.h"

namespace stagecraft::schedules {

/// A parameter that is a whole number.
int wholeParameter(const ScheduleParameters& parameters, const std::string& name, int otherwise);

/// How many of its tasks each rank comes to run where all follow these orders and wait for what a pass needs.
std::vector<std::size_t> tasksReached(const ScheduleShape& shape, const DeviceOrders& orders);
/// Whether devices that follow these orders, and wait for what a pass needs, come to the end.
bool completes(const ScheduleShape& shape, const DeviceOrders& orders);

/// How long the passes of a plan's stages take, by stage. Recomputation is part of the input gradient.
std::vector<PassTimes> passTimes(const CostModel& costs, const Plan& plan, const StageEdges& edges);

/// The orders of a family that has them for all devices, for a plan's stages; each copy of the network has
/// its own, unless the family is of two.
/// @param times by stage, for families that search; empty: all passes are equal
/// @throws std::invalid_argument saying why the family does not apply
ExplicitSchedule spelledOut(const ScheduleFamily& family, const std::vector<Stage>& stages, int microbatches,
                            const ScheduleParameters& parameters, const std::vector<PassTimes>& times = {});

/// Those of a family that searches (ScheduleFamily::found), the first of them what spelledOut() gives.
struct FoundSchedule {
    ExplicitSchedule schedule;
    double leastS = 0;  ///< how long it takes where no transfer waits for another; else it is longer
};
/// @throws as spelledOut()
std::vector<FoundSchedule> foundSchedules(const ScheduleFamily& family, const std::vector<Stage>& stages,
                                          int microbatches, const ScheduleParameters& parameters,
                                          const std::vector<PassTimes>& times,
                                          const std::stop_token& stop = {});

/// What is to be said of a family's orders for a plan's stages, as a sentence; empty: nothing, or they do not
/// suit it.
std::string remarkOn(const ScheduleFamily& family, const std::vector<Stage>& stages, int microbatches,
                     const ScheduleParameters& parameters);

}  // namespace stagecraft::schedules
