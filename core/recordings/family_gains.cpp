#include "core/recordings/family_gains.h"

#include "core/base/units.h"
#include "core/planners/planned_run.h"
#include "core/recordings/recorded_project.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stagecraft::recordings {

namespace {
constexpr double leastGain = 0.01;
constexpr std::size_t mostGains = 3;

/// A number that was written to a file and read again need not be the same to the last bit.
bool nearlySame(double a, double b) {
    constexpr double rounding = 1e-9;
    return std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b));
}
}  // namespace

std::vector<FamilyGain> familyGains(const Problem& problem, const Plan& plan, const WorkContext& context) {
    const auto costs = std::make_shared<const CostModel>(problem);
    const PlanRun now = evaluatePlan(costs, plan, context);
    if (!now.ok()) throw std::invalid_argument("the plan cannot run: " + now.result.reason);
    std::vector<FamilyGain> gains;
    for (const ScheduleFamily& family : scheduleFamilies()) {
        context.throwIfStopped();
        const ParameterValues values = defaultValues(settingsOf(family));
        if (family.found || family.evicts || cutsSequences(family) ||
            !whyNotCutUnder(*costs, family, values).empty())
            continue;
        const Plan other = cutUnder(*costs, family, values, &equalTimeCut);
        if (other.pipelineCount() > plan.pipelineCount()) continue;
        const PlanRun run = evaluatePlan(costs, other, context);
        if (!run.ok() || !run.evaluation->valid()) continue;
        gains.push_back({&family, other, run.iterationTimeS(),
                         1 - run.iterationTimeS() / now.iterationTimeS(),
                         other.schedule.splitBackward || family.backward == BackwardTasks::split ||
                             family.backward == BackwardTasks::mixed});
    }
    std::stable_sort(gains.begin(), gains.end(),
                     [](const FamilyGain& a, const FamilyGain& b) { return a.gain > b.gain; });
    return gains;
}

std::string gainTitle(const FamilyGain& gain, const std::optional<programs::RecognisedSchedule>& recognised) {
    const bool own = recognised && recognised->isKnown() &&
                     std::ranges::any_of(recognised->nearest, [&](const programs::NearSchedule& each) {
                         return each.family == gain.family;
                     });
    return shortTitle(*gain.family) + (own ? ", cut anew" : "");
}

bool predictsAlike(const Problem& a, const Problem& b) {
    const auto sameLayer = [](const Layer& one, const Layer& other) {
        return nearlySame(one.forwardS, other.forwardS) && nearlySame(one.backwardS, other.backwardS) &&
               nearlySame(one.weightGradientS, other.weightGradientS) &&
               nearlySame(one.outputBytes, other.outputBytes) &&
               nearlySame(one.outputGradientBytes, other.outputGradientBytes);
    };
    const auto sameDevice = [](const Device& one, const Device& other) {
        return one.id == other.id && nearlySame(one.speed, other.speed);
    };
    const auto sameLink = [](const Link& one, const Link& other) {
        return one.a == other.a && one.b == other.b && nearlySame(one.bandwidthBps, other.bandwidthBps) &&
               nearlySame(one.latencyS, other.latencyS);
    };
    return a.setup == b.setup && std::ranges::equal(a.profile.layers, b.profile.layers, sameLayer) &&
           std::ranges::equal(a.cluster.devices, b.cluster.devices, sameDevice) &&
           std::ranges::equal(a.cluster.links, b.cluster.links, sameLink);
}

TellingGains tellingGains(const Recording& recording, const WorkContext& context) {
    const Project project = projectFrom(recording);
    TellingGains told{familyGains(project.problem, project.plans.front(), context), {}, project.problem};
    std::erase_if(told.gains, [](const FamilyGain& gain) { return gain.gain < leastGain; });
    told.gains.resize(std::min(told.gains.size(), mostGains));
    if (told.gains.empty()) return told;
    const FamilyGain& best = told.gains.front();
    told.conditions.push_back("Compared with " + formatSeconds(best.iterationS / (1 - best.gain)) +
                              ", predicted for an iteration in the order that was recorded.");
    told.conditions.push_back(
        "Stages are cut anew for equal times; whether a schedule fits into memory is not known.");
    const bool splits =
        std::ranges::any_of(told.gains, [](const FamilyGain& gain) { return gain.splitsBackward; });
    if (splits && std::ranges::count(recording.timeline.kind, BlockKind::weightGradient) == 0)
        told.conditions.push_back(
            "Half of a backward is taken as its weight gradient, which the recording does not say.");
    return told;
}

}  // namespace stagecraft::recordings
