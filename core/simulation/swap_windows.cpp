#include "core/base/indices.h"
#include "core/simulation/execution_graph.h"

#include <algorithm>
#include <optional>

namespace stagecraft::simulation {

namespace {

void prefetchOn(ExecutionGraph& graph, int lane, const std::vector<FetchedStage>& stages) {
    LaneProgram& program = graph.programs[at(lane)];
    std::optional<std::uint32_t> backwardBefore;
    std::uint32_t beginning = 0;  // of the current backward: its recompute, if there is one
    for (std::uint32_t position = 0; position < program.order.size(); ++position) {
        const TaskRef task = program.order[position];
        const TaskRow& row = graph.rows[at(task.row)];
        if (row.kind == BlockKind::recompute) beginning = position;
        if (!givesGradient(row.kind)) continue;
        const FetchedStage& stage = stages[at(row.stage)];
        if (stage.recompute < 0) beginning = position;
        // The same entry triggers on every lane of its stage; one is enough.
        if (stage.swapIn >= 0 && graph.variant(row, task.entry).lanes.front() == lane)
            program.prefetches.push_back(
                {backwardBefore.value_or(beginning > 0 ? beginning - 1 : 0), {stage.swapIn, task.entry}});
        backwardBefore = beginning;
    }
    std::stable_sort(program.prefetches.begin(), program.prefetches.end(),
                     [](const Prefetch& a, const Prefetch& b) { return a.position < b.position; });
}

}  // namespace

void prefetchSwaps(ExecutionGraph& graph, const std::vector<FetchedStage>& stages) {
    if (std::all_of(stages.begin(), stages.end(), [](const FetchedStage& each) { return each.swapIn < 0; }))
        return;
    for (const FetchedStage& stage : stages) {
        if (stage.swapIn < 0) continue;
        const int lane = graph.rows[at(stage.backward)].variants.front().lanes.front();
        if (graph.programs[at(lane)].discipline == LaneDiscipline::ordered)
            ++graph.rows[at(stage.swapIn)].dependencies;
    }
    for (int lane = 0; lane < static_cast<int>(graph.lanes.size()); ++lane)
        if (graph.lanes[at(lane)].kind == LaneKind::compute &&
            graph.programs[at(lane)].discipline == LaneDiscipline::ordered)
            prefetchOn(graph, lane, stages);
}

void prioritiseTransfers(ExecutionGraph& graph, const Cluster& cluster) {
    const auto serverOf = [&](int device) -> const std::string& {
        return cluster.devices[at(device)].server;
    };
    graph.goesBefore.resize(graph.lanes.size());
    for (std::size_t lane = 0; lane < graph.lanes.size(); ++lane) {
        const Lane& network = graph.lanes[lane];
        if (network.kind != LaneKind::channel && network.kind != LaneKind::allReduce) continue;
        if (std::all_of(network.devices.begin(), network.devices.end(),
                        [&](int device) { return serverOf(device) == serverOf(network.devices.front()); }))
            continue;
        for (std::size_t host = 0; host < graph.lanes.size(); ++host)
            if (graph.lanes[host].kind == LaneKind::hostLink &&
                std::find_first_of(network.devices.begin(), network.devices.end(),
                                   graph.lanes[host].devices.begin(),
                                   graph.lanes[host].devices.end()) != network.devices.end())
                graph.goesBefore[lane].push_back(static_cast<int>(host));
    }
}

}  // namespace stagecraft::simulation
