#include "core/runs/deviation.h"

#include "core/base/units.h"
#include "core/schedules/schedule_family.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::runs {

namespace {

/// What a plan is judged by.
struct Judged {
    double iterationS, spanS, peakBytes;
};

/// From the first start on a device to the last end there, of the device where that is longest.
double longestSpanS(const Timeline& timeline) {
    double longest = 0;
    for (const Lane& lane : timeline.lanes)
        if (lane.kind == LaneKind::compute && lane.blockCount() > 0)
            longest = std::max(longest, timeline.endS[lane.endBlock - 1] - timeline.startS[lane.firstBlock]);
    return longest;
}

Judged judged(const Timeline& timeline, const std::vector<MemoryCurve>& memory) {
    double peak = 0;
    for (const MemoryCurve& curve : memory) peak = std::max(peak, curve.peakBytes());
    return {timeline.lastEndS(), longestSpanS(timeline), peak};
}

bool deviates(const Plan& plan) {
    const auto* policy = std::get_if<PolicySchedule>(&plan.schedule.order);
    if (!policy) return false;
    const auto found = policy->parameters.find(deviateParameter);
    return found != policy->parameters.end() && found->second > 0;
}

}  // namespace

std::string noteOnDeviation(const CostModel& costs, const Plan& plan, const Evaluation& evaluation) {
    if (!deviates(plan) || costs.problem().setup.mode == TrainingMode::asynchronous) return {};
    Plan fixed = plan;
    std::get<PolicySchedule>(fixed.schedule.order).parameters.erase(deviateParameter);
    const SimulatedRun run = simulatedRun(costs, fixed);
    const Judged own = judged(evaluation.timeline, evaluation.memory),
                 other = judged(run.timeline, memoryCurves(costs, fixed, run.lowered().edges, run.timeline));
    constexpr double rounding = 1e-9;
    const auto same = [](double a, double b) { return std::abs(a - b) <= rounding * std::max(a, b); };
    if (same(own.iterationS, other.iterationS) && same(own.spanS, other.spanS) &&
        same(own.peakBytes, other.peakBytes))
        return "Nothing shorter than the fixed order was found.";
    const auto against = [](const std::string& is, const std::string& was) { return is + " (" + was + ")"; };
    return "Deviates from the fixed order, whose figures are in brackets: " +
           against(formatSeconds(own.iterationS), formatSeconds(other.iterationS)) +
           " an iteration, longest span of a device " +
           against(formatSeconds(own.spanS), formatSeconds(other.spanS)) + ", peak memory " +
           against(formatBytes(own.peakBytes), formatBytes(other.peakBytes)) + ".";
}

}  // namespace stagecraft::runs
