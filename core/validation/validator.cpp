#include "core/validation/validator.h"

#include "core/validation/checks.h"

namespace stagecraft {

const char* ruleName(Rule rule) {
    switch (rule) {
        case Rule::layerCoverage:
            return "layer-coverage";
        case Rule::knownDevices:
            return "known-devices";
        case Rule::everyMicrobatchOnce:
            return "every-microbatch-once";
        case Rule::blockDuration:
            return "block-duration";
        case Rule::dataDependency:
            return "data-dependency";
        case Rule::deviceExclusive:
            return "device-exclusive";
        case Rule::channelExclusive:
            return "channel-exclusive";
        case Rule::orderRespected:
            return "order-respected";
        case Rule::allReduceAfterBackward:
            return "allreduce-after-backward";
        case Rule::updateAfterAllReduce:
            return "update-after-allreduce";
        case Rule::synchronousBarrier:
            return "synchronous-barrier";
        case Rule::weightVersion:
            return "weight-version";
        case Rule::memoryLimit:
            return "memory-limit";
        case Rule::periodicPattern:
            return "periodic-pattern";
    }
    return "?";
}

std::vector<Violation> validate(const Problem& problem, const Plan& plan, const Timeline& timeline,
                                std::size_t limit) {
    using namespace validation;
    Report report(limit);
    if (!checkPlan(problem, plan, report) || !checkShape(timeline, report) ||
        !checkNumbers(problem, timeline, report))
        return report.take();

    const Facts facts(problem, plan);
    const BlockIndex index(problem, facts, timeline, report);
    const Context context{problem, plan, timeline, facts, index, report};
    checkDurations(context);
    checkDependencies(context);
    checkLanes(context);
    checkExclusive(context);
    if (const auto* policy = std::get_if<PolicySchedule>(&plan.schedule.order)) {
        checkPolicyOrder(context, *policy);
        checkChannelOrder(context, *policy);
    } else if (const auto* order = std::get_if<ExplicitSchedule>(&plan.schedule.order)) {
        checkExplicitOrder(context, *order);
    } else {
        checkPattern(context, std::get<PeriodicSchedule>(plan.schedule.order));
    }
    checkEndOfIteration(context);
    checkBarrier(context);
    checkWeights(context);
    checkMemory(context);
    return report.take();
}

}  // namespace stagecraft
