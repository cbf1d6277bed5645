#include "core/analysis/evaluation.h"

#include "core/base/units.h"
#include "core/base/work_context.h"
#include "core/simulation/steady_state.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::analysis {

namespace {

/// A pattern repeats by itself: enough of its microbatches to show that.
constexpr int patternMicrobatches = 8;
/// Of the timeline of a plan without a barrier, which is simulated until its steady state shows. 34 bytes and
/// about a microsecond each.
constexpr std::uint32_t mostBlocks = 60'000;

SimulatedRun simulateUntilSteady(const CostModel& costs, const Plan& plan, SimulationOptions options) {
    options.iterations = std::max(options.iterations, steadyStateMiniBatches(costs, plan, mostBlocks));
    SimulatedRun run = simulatedRun(costs, plan, options);
    const double leastS = planLowerBound(costs, plan, *run.graph).seconds;
    while (!steadyPace(run.timeline, leastS).settled && run.timeline.blockCount() <= mostBlocks / 2) {
        options.iterations *= 2;
        run = simulatedRun(costs, plan, options);
    }
    return run;
}

SimulatedRun runOf(const CostModel& costs, const Plan& plan, SimulationOptions options) {
    if (costs.problem().setup.mode == TrainingMode::synchronous) return simulatedRun(costs, plan, options);
    if (!std::holds_alternative<PeriodicSchedule>(plan.schedule.order))
        return simulateUntilSteady(costs, plan, std::move(options));
    options.iterations = std::max(options.iterations, patternMicrobatches);
    return simulatedRun(costs, plan, options);
}

/// Numbers that overflow or vanish must not pass for a plan that takes no time.
void requireTime(const Problem& problem, const Metrics& metrics) {
    const auto takesTime = [](const Layer& layer) { return layer.forwardS > 0 || layer.backwardS > 0; };
    const std::vector<Layer>& layers = problem.profile.layers;
    const double seconds = metrics.iterationTimeS;
    if (std::isfinite(seconds) && std::isfinite(metrics.throughputSamplesPerS) && seconds >= 0 &&
        (seconds > 0 || std::none_of(layers.begin(), layers.end(), takesTime)))
        return;
    throw SimulationError(
        "the iteration time comes out as " + formatNumber(seconds) +
        " s; expected durations, speeds and bandwidths whose quotients neither overflow nor "
        "vanish");
}

}  // namespace

Evaluation measureRun(const CostModel& costs, const Plan& plan, SimulatedRun run,
                      const std::stop_token& stop) {
    const auto throwIfStopped = [&stop] {
        if (stop.stop_requested()) throw Cancelled();
    };
    Evaluation evaluation;
    throwIfStopped();
    evaluation.memory = memoryCurves(costs, plan, run.lowered().edges, run.timeline);
    throwIfStopped();
    evaluation.metrics = computeMetrics(costs, plan, run, evaluation.memory);
    throwIfStopped();
    evaluation.timeline = std::move(run.timeline);
    // Without the lanes' orders, which are as long as the timeline.
    evaluation.graph = std::make_shared<const TaskGraph>(*run.graph);
    return evaluation;
}

Evaluation measure(const CostModel& costs, const Plan& plan, const SimulationOptions& options) {
    if (!(setupOf(plan, costs.problem().setup) == costs.problem().setup))
        throw SimulationError("the costs are for other mini-batches than the plan has");
    if (hasOtherMicrobatches(plan, costs.problem().profile))
        throw SimulationError("the costs are for microbatches of another size than the plan has");
    Evaluation evaluation = measureRun(costs, plan, runOf(costs, plan, options), options.stop);
    requireTime(costs.problem(), evaluation.metrics);
    return evaluation;
}

Evaluation evaluate(const CostModel& costs, const Plan& plan, const SimulationOptions& options) {
    Evaluation evaluation = measure(costs, plan, options);
    constexpr std::size_t mostOfARule = 20;
    evaluation.violations = validate(costs.problem(), plan, evaluation.timeline, mostOfARule, options.stop);
    return evaluation;
}

}  // namespace stagecraft::analysis
