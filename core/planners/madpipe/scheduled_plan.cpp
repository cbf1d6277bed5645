#include "core/planners/madpipe/scheduled_plan.h"

#include "core/memory/memory_peaks.h"
#include "core/planners/planning.h"
#include "core/schedules/one_forward_one_backward_star.h"
#include "core/simulation/simulator.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace stagecraft::planners {

namespace {

bool oneStagePerDevice(const std::vector<Stage>& stages) {
    std::set<int> devices;
    for (const Stage& stage : stages) devices.insert(stage.devices.front());
    return devices.size() == stages.size();
}

struct FoundPattern {
    std::optional<TimedPattern> timed;
    double boundS = 0;
    bool proven = false;
    std::string provenBy;
    bool cbcIsMissing = false;
};

FoundPattern byStar(const PatternProblem& problem, std::size_t stages, double belowS) {
    std::vector<int> mostActive(stages, 0);
    for (const PatternProblem::Store& store : problem.stores)
        for (const PatternProblem::Held& held : store.held) {
            const int stage = problem.path[static_cast<std::size_t>(held.forward)].stage;
            const double most = held.bytes > 0        ? std::floor(store.roomBytes / held.bytes)
                                : store.roomBytes < 0 ? 0
                                                      : problem.tasks();
            mostActive[static_cast<std::size_t>(stage)] =
                static_cast<int>(std::clamp(most, 0.0, double(problem.tasks())));
        }
    FoundPattern found{std::nullopt, std::numeric_limits<double>::infinity(), true, "1F1B*"};
    const std::optional<double> periodS = leastStarPeriodS(problem.path, mostActive);
    if (!periodS || !clearlyLess(*periodS, belowS)) return found;
    const auto star = oneForwardOneBackwardStar(problem.path, *periodS);
    if (!star) return found;
    found.timed = TimedPattern{star->periodS, star->startsS};
    found.boundS = star->periodS;
    return found;
}

FoundPattern bySecondPhase(const PatternProblem& problem, const SecondPhaseOptions& options,
                           const WorkContext& context) {
    SecondPhase phase = solvePattern(problem, options, context);
    return {std::move(phase.pattern), phase.boundS, phase.proven, phase.provenBy, phase.cbcIsMissing};
}

Plan planOf(const CostModel& costs, const std::vector<Stage>& stages, const PatternProblem& problem,
            const TimedPattern& timed, int mostActive) {
    Plan plan;
    plan.stages = stages;
    plan.schedule.order = patternOf(problem.path, timed.startsS, timed.periodS);
    plan.claims.fitsMemory = true;
    plan.memory.reserveBuffers = true;
    plan.weights.kind = WeightPolicyKind::doubleBuffer;
    if (costs.problem().setup.microbatches < mostActive - 1) plan.miniBatch.microbatches = mostActive - 1;
    return plan;
}

bool fitsWhenSimulated(const CostModel& costs, const Plan& plan) {
    const CostModel own = costs.withSetup(setupOf(plan, costs.problem().setup));
    const SimulatedRun run = simulatedRun(own, plan);
    return std::ranges::all_of(memoryPeaks(own, plan, run.lowered().edges, run.timeline),
                               [](const MemoryPeak& peak) { return peak.bytes <= peak.limitBytes; });
}

}  // namespace

std::vector<Stage> stagesOf(const MadPipeChain& chain, const std::vector<MadPipeStage>& stages) {
    std::vector<Stage> made;
    int next = 0, special = -1;
    for (const MadPipeStage& stage : stages) {
        int device = next;
        if (stage.special && special >= 0)
            device = special;
        else
            ++next;
        if (stage.special) special = device;
        made.push_back(
            {chain.firstLayer(stage.first), chain.lastLayer[static_cast<std::size_t>(stage.last)], {device}});
    }
    return made;
}

ScheduledPlan schedulePlan(const CostModel& costs, const std::vector<Stage>& stages,
                           const SecondPhaseOptions& options, const WorkContext& context) {
    PatternProblem problem = patternProblem(costs, stages);
    ScheduledPlan scheduled;
    // Once more with a hair less memory, should the curves' sums round the other way than those here.
    for (const double margin : {0.0, 1e-12}) {
        for (PatternProblem::Store& store : problem.stores) store.roomBytes -= margin * store.limitBytes;
        FoundPattern found = oneStagePerDevice(stages) ? byStar(problem, stages.size(), options.belowS)
                                                       : bySecondPhase(problem, options, context);
        scheduled.boundS = found.boundS;
        scheduled.proven = found.proven;
        scheduled.provenBy = found.provenBy;
        scheduled.cbcIsMissing = found.cbcIsMissing;
        if (!found.timed) return scheduled;
        const std::vector<int> active =
            activeBatches(costs, stages, patternOf(problem.path, found.timed->startsS, found.timed->periodS));
        const int mostActive = *std::max_element(active.begin(), active.end());
        Plan plan = planOf(costs, stages, problem, *found.timed, mostActive);
        if (!fitsWhenSimulated(costs, plan)) continue;
        scheduled.plan = std::move(plan);
        scheduled.periodS = found.timed->periodS;
        scheduled.mostActive = mostActive;
        return scheduled;
    }
    return scheduled;
}

}  // namespace stagecraft::planners
