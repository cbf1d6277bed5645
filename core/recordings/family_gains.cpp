#include "core/recordings/family_gains.h"

#include "core/planners/planned_run.h"
#include "core/recordings/recorded_project.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::recordings {

namespace {
constexpr double leastGain = 0.01;
constexpr std::size_t mostGains = 3;
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

TellingGains tellingGains(const Recording& recording, const WorkContext& context) {
    const Project project = projectFrom(recording);
    TellingGains told{familyGains(project.problem, project.plans.front(), context), {}};
    std::erase_if(told.gains, [](const FamilyGain& gain) { return gain.gain < leastGain; });
    told.gains.resize(std::min(told.gains.size(), mostGains));
    if (told.gains.empty()) return told;
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
