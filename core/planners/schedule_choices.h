#pragma once

#include "core/planners/plan_run.h"
#include "core/schedules/schedule_family.h"

#include <functional>
#include <vector>

namespace stagecraft::planners {

/// What a plan has set of a family's parameters; the defaults where its schedule is another.
ParameterValues settingsIn(const Plan& plan, const ScheduleFamily& family);
/// Whether the plan's order is the family's.
bool isUnder(const Plan& plan, const ScheduleFamily& family);

/// A plan's partition under a family.
struct ScheduleChoice {
    const ScheduleFamily* family = nullptr;
    PlanRun run;  ///< says in words why the family does not take the partition, where it does not
};

/// Under every family, in the order in which they are offered, with the parameters that the plan has set of
/// its own; each is passed on as soon as it is simulated and validated.
/// @throws Cancelled
void scheduleChoices(const std::shared_ptr<const CostModel>& costs, const Plan& plan,
                     const std::function<void(ScheduleChoice)>& take, const WorkContext& context = {});

}  // namespace stagecraft::planners
