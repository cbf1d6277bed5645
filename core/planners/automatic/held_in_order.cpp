#include "core/planners/automatic/held_in_order.h"

#include "core/schedules/families.h"

namespace stagecraft::planners {

bool hasFixedOrders(const Plan& plan) {
    const auto* schedule = std::get_if<FamilySchedule>(&plan.schedule.order);
    const ScheduleFamily* family = schedule ? findScheduleFamily(schedule->name) : nullptr;
    return family && !family->found && !family->evicts && (family->order || family->deviceOrders);
}

}  // namespace stagecraft::planners
