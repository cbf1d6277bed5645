#include "core/planners/schedule_choices.h"

#include "core/planners/chosen_schedule.h"
#include "core/schedules/families.h"

namespace stagecraft::planners {

bool isUnder(const Plan& plan, const ScheduleFamily& family) {
    const auto* policy = std::get_if<PolicySchedule>(&plan.schedule.order);
    return policy && policy->name == family.id;
}

ParameterValues settingsIn(const Plan& plan, const ScheduleFamily& family) {
    ParameterValues values = defaultValues(settingsOf(family));
    if (!isUnder(plan, family)) return values;
    for (const auto& [name, value] : std::get<PolicySchedule>(plan.schedule.order).parameters)
        if (const auto found = values.find(name); found != values.end()) {
            if (std::holds_alternative<int>(found->second))
                found->second = static_cast<int>(value);
            else
                found->second = value;
        }
    return values;
}

void scheduleChoices(const std::shared_ptr<const CostModel>& costs, const Plan& plan,
                     const std::function<void(ScheduleChoice)>& take, const WorkContext& context) {
    const std::vector<ScheduleFamily>& families = scheduleFamilies();
    for (std::size_t i = 0; i < families.size(); ++i) {
        context.throwIfStopped();
        const ScheduleFamily& family = families[i];
        take({&family, evaluatePlan(costs, underSchedule(plan, family, settingsIn(plan, family)))});
        context.report(static_cast<double>(i + 1) / static_cast<double>(families.size()));
    }
}

}  // namespace stagecraft::planners
