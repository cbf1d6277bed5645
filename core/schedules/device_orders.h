#pragma once

#include "core/cost/stage_edges.h"
#include "core/schedules/schedule_family.h"

#include <algorithm>

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
/// @throws std::invalid_argument saying why the family does not apply; Cancelled once `stop` is requested
ExplicitSchedule spelledOut(const ScheduleFamily& family, const std::vector<Stage>& stages, int microbatches,
                            const ScheduleParameters& parameters, const std::vector<PassTimes>& times = {},
                            const std::stop_token& stop = {});

/// Stages that a family orders together: those of a copy of the network, or all.
struct OrderedPart {
    std::vector<Stage> stages = {};
    std::vector<int> numbers = {};  ///< in the plan
    ScheduleShape shape = {};
    int copy = 0, copies = 1;  ///< of one, all stages are here, as in the plan

    Task inPlan(const Task& task) const {
        return {task.kind, numbers[static_cast<std::size_t>(task.stage)], copy + copies * task.microbatch,
                task.paired, task.slice};
    }
};

/// Those of a family that searches (ScheduleFamily::found), the first of them what spelledOut() gives. Each
/// is spelled out for all devices when it is taken.
class FoundSchedules {
public:
    /// @throws as spelledOut(); Cancelled once `stop` is requested
    FoundSchedules(const ScheduleFamily& family, const std::vector<Stage>& stages, int microbatches,
                   const ScheduleParameters& parameters, const std::vector<PassTimes>& times,
                   const std::stop_token& stop = {});

    std::size_t count() const { return count_; }
    /// How long it takes where no transfer waits for another; else it is longer.
    double leastS(std::size_t choice) const;
    /// Once each, in turn.
    ExplicitSchedule take(std::size_t choice);

private:
    std::size_t ofPart(std::size_t part, std::size_t choice) const {
        return std::min(choice, found_[part].size() - 1);
    }

    const ScheduleFamily& family_;
    std::vector<OrderedPart> parts_;
    std::vector<std::vector<FoundOrders>> found_;  ///< by part
    std::size_t count_ = 0;
};

/// What is to be said of a family's orders for a plan's stages, as a sentence; empty: nothing, or they do not
/// suit it.
std::string remarkOn(const ScheduleFamily& family, const std::vector<Stage>& stages, int microbatches,
                     const ScheduleParameters& parameters);

}  // namespace stagecraft::schedules
