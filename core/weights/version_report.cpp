#include "core/weights/version_report.h"

#include "core/base/indices.h"
#include "core/simulation/simulator.h"
#include "core/weights/weight_use.h"

#include <algorithm>
#include <limits>

namespace stagecraft::weights {

namespace {

/// Fewer say little about a steady state.
constexpr int fewestSteady = 4;

/// Mini-batches first..last.
struct Window {
    int first = 0, last = -1;
    int count() const { return std::max(0, last - first + 1); }
};

int inputStage(const Plan& plan, int stage) {
    while (stage > 0 && plan.stages[at(stage - 1)].pipeline == plan.stages[at(stage)].pipeline) --stage;
    return stage;
}

/// When a mini-batch's first forward starts on a stage and its last backward ends there.
struct Visit {
    double entersS = std::numeric_limits<double>::infinity(), lastForwardS = 0, leavesS = 0;
};

Visit visitOf(const PassHistory& history, int stage, int iteration) {
    Visit visit;
    for (int microbatch = 0; microbatch < history.microbatches(); ++microbatch) {
        const PassInstants& pass = history.pass(stage, iteration, microbatch);
        if (!pass.present) continue;
        visit.entersS = std::min(visit.entersS, pass.forwardStartS);
        visit.lastForwardS = std::max(visit.lastForwardS, pass.forwardStartS);
        visit.leavesS = std::max(visit.leavesS, pass.backwardEndS);
    }
    return visit;
}

Window steadyWindow(const PassHistory& history, int input) {
    double allUpdatedS = 0;
    for (int stage = 0; stage < history.stageCount(); ++stage)
        allUpdatedS = std::max(allUpdatedS, history.updates(stage).front().atS);
    double lastForwardS = 0;
    for (int iteration = 0; iteration < history.iterations(); ++iteration)
        lastForwardS = std::max(lastForwardS, visitOf(history, input, iteration).lastForwardS);
    Window window{history.iterations(), -1};
    for (int iteration = 0; iteration < history.iterations(); ++iteration) {
        const Visit visit = visitOf(history, input, iteration);
        if (visit.entersS < allUpdatedS || visit.leavesS > lastForwardS) continue;
        window.first = std::min(window.first, iteration);
        window.last = iteration;
    }
    window.first += window.count() / 2;
    return window;
}

DifferenceRow rowOf(const WeightUses& uses, int stage, const Window& window, bool backward) {
    DifferenceRow row;
    row.printed = uses.difference(stage, window.first, VersionDifference::printed, backward);
    row.exact = uses.difference(stage, window.first, VersionDifference::exact, backward);
    row.countedLeast = std::numeric_limits<int>::max();
    for (int iteration = window.first; iteration <= window.last; ++iteration) {
        const int counted = uses.difference(stage, iteration, VersionDifference::counted, backward);
        row.countedLeast = std::min(row.countedLeast, counted);
        row.countedMost = std::max(row.countedMost, counted);
    }
    return row;
}

/// Filling and draining the pipeline takes about as many microbatches as it has stages each.
int enoughMiniBatches(const Plan& plan, int microbatches) {
    return 3 * (plan.stageCount() / microbatches + 1) + 4 * fewestSteady;
}

std::vector<Window> windowsOf(const Plan& plan, const PassHistory& history) {
    std::vector<Window> windows;
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        const int input = inputStage(plan, stage);
        windows.push_back(input == stage ? steadyWindow(history, stage) : windows[at(input)]);
    }
    return windows;
}

bool anyShorterThan(const std::vector<Window>& windows, int count) {
    return std::any_of(windows.begin(), windows.end(),
                       [&](const Window& window) { return window.count() < count; });
}

}  // namespace

bool predictsWeights(const CostModel& costs, const Plan& plan) {
    return plan.weights.kind == WeightPolicyKind::predicted &&
           costs.problem().setup.mode == TrainingMode::asynchronous;
}

VersionReport versionReport(const CostModel& costs, const Plan& plan, const Timeline& timeline) {
    VersionReport report;
    report.microbatches = costs.problem().setup.microbatches;
    PassHistory history(plan, timeline);
    std::vector<Window> windows = windowsOf(plan, history);
    if (anyShorterThan(windows, fewestSteady)) {
        const int longer = enoughMiniBatches(plan, report.microbatches);
        history = PassHistory(plan, simulate(costs, plan, {longer, {}}));
        windows = windowsOf(plan, history);
    }
    const WeightUses uses(plan, history);
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        const Window& window = windows[at(stage)];
        if (window.count() == 0) continue;
        report.miniBatches = std::max(report.miniBatches, window.count());
        report.stages.push_back({stage, rowOf(uses, stage, window, false), rowOf(uses, stage, window, true)});
    }
    return report;
}

}  // namespace stagecraft::weights
