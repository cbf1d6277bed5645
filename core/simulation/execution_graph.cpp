#include "core/simulation/execution_graph.h"

#include "core/base/indices.h"
#include "core/model/indivisible.h"

#include <algorithm>
#include <optional>
#include <set>

namespace stagecraft::simulation {

TaskRef TaskGraph::taskOf(std::uint32_t id) const {
    const auto after =
        std::upper_bound(rows.begin(), rows.end(), id,
                         [](std::uint32_t task, const TaskRow& row) { return task < row.firstTask; });
    const int row = static_cast<int>(after - rows.begin()) - 1;
    return {row, id - rows[static_cast<std::size_t>(row)].firstTask};
}

namespace {

void requireDevices(const CostModel& costs, const Stage& stage, const std::string& name) {
    if (stage.devices.empty()) throw SimulationError(name + " has no device");
    std::set<int> seen;
    for (const int device : stage.devices) {
        if (device < 0 || device >= costs.deviceCount())
            throw SimulationError(name + " names device " + std::to_string(device) + "; the cluster has " +
                                  std::to_string(costs.deviceCount()));
        if (!seen.insert(device).second)
            throw SimulationError(name + " names device " +
                                  costs.problem().cluster.devices[static_cast<std::size_t>(device)].id +
                                  " twice");
    }
}

void requireHostLinks(const CostModel& costs, const Plan& plan, const Stage& stage, const std::string& name) {
    const bool swaps =
        std::any_of(plan.memory.layers.begin(), plan.memory.layers.end(), [&](const auto& entry) {
            return entry.second == LayerMemory::swap && entry.first >= stage.firstLayer &&
                   entry.first <= stage.lastLayer;
        });
    if (!swaps) return;
    for (const int device : stage.devices) {
        const Device& host = costs.problem().cluster.devices[static_cast<std::size_t>(device)];
        if (!(host.hostBandwidthBps > 0))
            throw SimulationError(name + " swaps, but device " + host.id + " has no host bandwidth");
    }
}

}  // namespace

void requireWellFormed(const CostModel& costs, const Plan& plan) {
    if (const auto& reason = costs.whyUnplannable()) throw SimulationError(*reason);
    if (plan.stages.empty()) throw SimulationError("the plan has no stage");
    const int pipelines = plan.pipelineCount();
    std::vector<int> next(static_cast<std::size_t>(std::max(pipelines, 0)), 0);
    for (int s = 0; s < plan.stageCount(); ++s) {
        const Stage& stage = plan.stages[static_cast<std::size_t>(s)];
        const std::string name = "stage " + std::to_string(s);
        if (stage.pipeline < 0) throw SimulationError(name + " has a negative pipeline number");
        int& expected = next[static_cast<std::size_t>(stage.pipeline)];
        if (stage.firstLayer != expected || stage.lastLayer < stage.firstLayer ||
            stage.lastLayer >= costs.layerCount())
            throw SimulationError(name + " holds layers " + std::to_string(stage.firstLayer) + " to " +
                                  std::to_string(stage.lastLayer) +
                                  "; expected a range that starts at layer " + std::to_string(expected) +
                                  " and ends before " + std::to_string(costs.layerCount()));
        expected = stage.lastLayer + 1;
        requireDevices(costs, stage, name);
        requireHostLinks(costs, plan, stage, name);
    }
    if (const auto reason = whyGroupsBroken(plan, costs.problem().profile)) throw SimulationError(*reason);
    for (int pipeline = 0; pipeline < pipelines; ++pipeline)
        if (next[static_cast<std::size_t>(pipeline)] != costs.layerCount())
            throw SimulationError("pipeline " + std::to_string(pipeline) + " ends at layer " +
                                  std::to_string(next[static_cast<std::size_t>(pipeline)] - 1) + " of " +
                                  std::to_string(costs.layerCount()));
    for (const auto& [layer, memory] : plan.memory.layers)
        if (layer < 0 || layer >= costs.layerCount())
            throw SimulationError("the memory policy names layer " + std::to_string(layer) + " of " +
                                  std::to_string(costs.layerCount()));
    if (plan.schedule.slices() > 1 && costs.problem().setup.mode == TrainingMode::asynchronous)
        throw SimulationError("the plan cuts sequences into slices, which is for synchronous training only");
}

void requireEachOnce(const ExecutionGraph& graph, const std::vector<TaskRef>& order,
                     const std::string& device) {
    std::vector<bool> seen(graph.taskCount, false);
    for (const TaskRef task : order) {
        const TaskRow& holder = graph.rows[static_cast<std::size_t>(task.row)];
        if (seen[graph.taskId(task)])
            throw SimulationError("the order of device " + device + " holds the " +
                                  blockKindName(holder.kind) + " of microbatch " +
                                  std::to_string(holder.microbatchOf(task.entry)) + " on stage " +
                                  std::to_string(holder.stage) + " twice");
        seen[graph.taskId(task)] = true;
    }
}

namespace {

void prefetchOn(ExecutionGraph& graph, int lane, const std::vector<FetchedStage>& stages) {
    LaneProgram& program = graph.programs[at(lane)];
    std::optional<std::uint32_t> backwardBefore;
    std::uint32_t beginning = 0;  // of the current backward: its recompute, if there is one, or its pair
    auto fusion = program.fusions.begin();
    for (std::uint32_t position = 0; position < program.order.size(); ++position) {
        const TaskRef task = program.order[position];
        const TaskRow& row = graph.rows[at(task.row)];
        if (row.kind == BlockKind::recompute) beginning = position;
        if (!givesGradient(row.kind)) continue;
        const FetchedStage& stage = stages[at(row.stage)];
        while (fusion != program.fusions.end() && fusion->position + fusion->count <= position) ++fusion;
        const bool isFused = fusion != program.fusions.end() && fusion->position <= position;
        if (stage.recompute < 0) beginning = isFused ? fusion->position : position;
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
    graph.pausesHostLinks.resize(graph.lanes.size());
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
                graph.pausesHostLinks[lane].push_back(static_cast<int>(host));
    }
}

}  // namespace stagecraft::simulation
