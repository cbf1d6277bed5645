#include "core/simulation/build_graph.h"

#include "core/simulation/collective_rows.h"
#include "core/simulation/compute_rows.h"
#include "core/simulation/device_order_lanes.h"
#include "core/simulation/eviction_rows.h"
#include "core/simulation/execution_graph.h"
#include "core/simulation/stage_order_lanes.h"
#include "core/simulation/swap_rows.h"
#include "core/simulation/transfer_rows.h"
#include "core/simulation/vocabulary_rows.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::simulation {

namespace {

void markGreedy(ExecutionGraph& graph) {
    for (std::size_t lane = 0; lane < graph.lanes.size(); ++lane)
        if (graph.lanes[lane].kind == LaneKind::compute)
            graph.programs[lane].discipline = LaneDiscipline::greedy;
}

void addComputeOrders(GraphDraft& draft, EvictionRows& evictions) {
    switch (draft.lowered().rule) {
        case OrderRule::pattern:
            return;
        case OrderRule::greedy:
            return markGreedy(draft.graph());
        case OrderRule::ofDevices:
            return DeviceOrderLanes(draft, evictions).add();
        case OrderRule::ofStages:
            return StageOrderLanes(draft).add();
    }
}

/// A block on several lanes is fused on each.
void countTasks(ExecutionGraph& graph) {
    for (LaneProgram& program : graph.programs)
        for (const Fusion& fusion : program.fusions) program.taskCount -= fusion.count - 1;
    for (const TaskRow& each : graph.rows) {
        const std::uint32_t tasks = each.perIteration * static_cast<std::uint32_t>(graph.iterations);
        const auto variants = static_cast<std::uint32_t>(each.variants.size());
        for (std::uint32_t v = 0; v < variants; ++v)
            for (const int lane : each.variants[v].lanes)
                graph.programs[static_cast<std::size_t>(lane)].taskCount +=
                    (tasks / each.slices + variants - 1 - v) / variants * each.slices;
    }
}

void noteStarts(ExecutionGraph& graph) {
    for (const LaneProgram& program : graph.programs)
        for (const Prefetch& prefetch : program.prefetches)
            graph.starts.push_back(
                {graph.taskId(program.order[prefetch.position]), graph.taskId(prefetch.swapIn)});
    std::sort(graph.starts.begin(), graph.starts.end());
}

}  // namespace

std::shared_ptr<const LoweredPlan> loweredPlan(const CostModel& costs, const Plan& plan, int iterations,
                                               const std::stop_token& stop) {
    requireWellFormed(costs, plan);
    try {
        return std::make_shared<const LoweredPlan>(lower(costs, plan, iterations, stop));
    } catch (const std::invalid_argument& error) {
        throw SimulationError(error.what());
    }
}

ExecutionGraph buildExecutionGraph(const CostModel& costs, const Plan& plan,
                                   std::shared_ptr<const LoweredPlan> lowered, int iterations) {
    GraphDraft draft(costs, plan, *lowered, iterations);
    TransferRows transfers(draft);
    SwapRows swaps(draft);
    EvictionRows evictions(draft);
    ComputeRows(draft).add();
    transfers.add();
    VocabularyRows(draft).add();
    CollectiveRows collectives(draft, collectivesOf(costs, plan));
    collectives.add();
    swaps.add();
    evictions.add();
    draft.closeRows();
    addComputeOrders(draft, evictions);
    transfers.orderChannels();
    swaps.prefetch();
    collectives.addWaits();
    ExecutionGraph graph = std::move(draft.graph());
    noteStarts(graph);
    prioritiseTransfers(graph, costs.problem().cluster);
    countTasks(graph);
    graph.lowered = std::move(lowered);
    return graph;
}

ExecutionGraph buildExecutionGraph(const CostModel& costs, const Plan& plan, int iterations) {
    return buildExecutionGraph(costs, plan, loweredPlan(costs, plan, iterations), iterations);
}

}  // namespace stagecraft::simulation
