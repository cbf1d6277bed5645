#include "core/validation/validator.h"

#include "core/validation/checks.h"

namespace stagecraft::validation {

namespace {

/// The order that the plan's schedule has.
void checkOrders(const Context& context) {
    const Plan& plan = context.plan;
    if (const auto* policy = std::get_if<FamilySchedule>(&plan.schedule.order)) {
        checkPolicyOrder(context, *policy);
        checkDeviceOrders(context, *policy);
        checkEvictions(context, *policy);
        checkVocabularyOrder(context, *policy);
        checkChannelOrder(context, *policy);
    } else if (const auto* order = std::get_if<ExplicitSchedule>(&plan.schedule.order)) {
        checkExplicitOrder(context, *order);
    } else {
        checkPattern(context, std::get<PeriodicSchedule>(plan.schedule.order));
    }
}

}  // namespace

std::vector<Violation> validate(const Problem& problem, const Plan& plan, const Timeline& timeline,
                                std::size_t limit, const std::stop_token& stop) {
    using namespace validation;
    Report report(limit);
    if (!checkPlan(problem, plan, report) || !checkShape(timeline, report) ||
        !checkNumbers(problem, timeline, report))
        return report.take();

    const Facts facts(problem, plan);
    const BlockIndex index(problem, facts, timeline, report);
    const Context context{problem, plan, timeline, facts, index, report, stop};
    for (const auto check :
         {checkDurations, checkDependencies, checkVocabulary, checkLanes, checkExclusive, checkOrders,
          checkEndOfIteration, checkBarrier, checkWeights, checkMemory, checkSharedLinks}) {
        context.throwIfStopped();
        check(context);
    }
    return report.take();
}

}  // namespace stagecraft::validation
