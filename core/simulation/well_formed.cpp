#include "core/simulation/execution_graph.h"
#include "core/simulation/simulator.h"

#include <algorithm>
#include <set>

namespace stagecraft::simulation {

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
    if (const auto reason = whyUnplannable(costs.problem())) throw SimulationError(*reason);
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

}  // namespace stagecraft::simulation
