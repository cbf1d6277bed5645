#include "core/schedules/periodic_pattern.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace stagecraft::schedules {

namespace {

/// What a sum of durations may be off by, in periods.
constexpr double rounding = 1e-10;

/// By stage: the edge to the next one; every edge must be such a one.
std::vector<StageEdge> edgesOfChain(const CostModel& costs, const Plan& plan) {
    std::vector<StageEdge> edges = costs.stageEdges(plan);
    bool chain = edges.size() + 1 == plan.stages.size();
    for (std::size_t stage = 0; chain && stage < edges.size(); ++stage)
        chain = edges[stage].from == static_cast<int>(stage) && edges[stage].to == edges[stage].from + 1;
    if (!chain)
        throw std::invalid_argument("a periodic pattern needs stages of which each feeds the next one alone");
    return edges;
}

}  // namespace

std::vector<PatternTask> batchPath(const CostModel& costs, const std::vector<Stage>& stages) {
    Plan plan;
    plan.stages = stages;
    const std::vector<StageEdge> edges = edgesOfChain(costs, plan);
    std::vector<PatternTask> up, down;
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        const StageCost cost = costs.stage(plan, stage);
        up.push_back({BlockKind::forward, stage, cost.forwardS});
        down.push_back({BlockKind::backward, stage, cost.backwardS});
        if (stage + 1 == plan.stageCount()) break;
        const StageEdge& edge = edges[static_cast<std::size_t>(stage)];
        if (!edge.needsTransfer) continue;
        const Stage &sender = stages[static_cast<std::size_t>(stage)],
                    &receiver = stages[static_cast<std::size_t>(stage) + 1];
        const TransferCost transfer = costs.transfer(edge.forwardBytes, edge.backwardBytes, sender,
                                                     sender.devices, receiver, receiver.devices);
        up.push_back({BlockKind::transferForward, stage, transfer.forwardS});
        down.push_back({BlockKind::transferBackward, stage, transfer.backwardS});
    }
    up.insert(up.end(), down.rbegin(), down.rend());
    return up;
}

PeriodicSchedule patternOf(const std::vector<PatternTask>& path, const std::vector<double>& startsS,
                           double periodS) {
    PeriodicSchedule pattern;
    pattern.periodS = periodS;
    for (std::size_t task = 0; task < path.size(); ++task) {
        const double periods = startsS[task] / periodS;
        double shift = std::floor(periods);
        double startS = startsS[task] - shift * periodS;
        // 0 <= t < T though divisions round (E-MP-4).
        if (periods - shift > 1 - rounding) {
            shift += 1;
            startS = 0;
        }
        pattern.operations.push_back(
            {path[task].kind, path[task].stage, std::max(startS, 0.0), static_cast<int>(shift)});
    }
    return pattern;
}

std::vector<int> activeBatches(const CostModel& costs, const std::vector<Stage>& stages,
                               const PeriodicSchedule& pattern) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> startS(stages.size(), unknown), endS(stages.size(), unknown);
    for (const PatternTask& task : batchPath(costs, stages)) {
        if (task.kind != BlockKind::forward && task.kind != BlockKind::backward) continue;
        for (const PatternOperation& operation : pattern.operations) {
            if (operation.kind != task.kind || operation.stage != task.stage) continue;
            const double atS = operation.shift * pattern.periodS + operation.startS;
            const auto stage = static_cast<std::size_t>(task.stage);
            if (task.kind == BlockKind::forward)
                startS[stage] = atS;
            else
                endS[stage] = atS + task.seconds;
        }
    }
    std::vector<int> active;
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        const double periods = (endS[stage] - startS[stage]) / pattern.periodS;
        if (!(periods >= 0)) throw std::invalid_argument("the pattern lacks a forward or a backward");
        active.push_back(std::max(1, static_cast<int>(std::ceil(periods - rounding))));
    }
    return active;
}

}  // namespace stagecraft::schedules
