#include "core/simulation/device_order_lanes.h"

#include "core/simulation/execution_graph.h"

#include <algorithm>

namespace stagecraft::simulation {

void DeviceOrderLanes::add() {
    ExecutionGraph& graph = draft_.graph();
    const bool recompute = recomputes();
    for (std::size_t lane = 0; lane < graph.lanes.size(); ++lane)
        if (graph.lanes[lane].kind == LaneKind::compute) addLane(static_cast<int>(lane), recompute);
    std::sort(graph.waits.begin(), graph.waits.end());
    blocks_.requireSame();
}

bool DeviceOrderLanes::recomputes() const {
    for (int s = 0; s < draft_.plan().stageCount(); ++s)
        if (draft_.rowsOf(s).recompute >= 0) return true;
    return false;
}

void DeviceOrderLanes::addLane(int lane, bool recomputes) {
    ExecutionGraph& graph = draft_.graph();
    const std::map<int, std::vector<Task>>& orders = draft_.lowered().devices.orders;
    const int device = graph.lanes[static_cast<std::size_t>(lane)].devices.front();
    const auto found = orders.find(device);
    if (found == orders.end())
        throw SimulationError("device " + draft_.deviceId(device) + " holds a stage but has no order");
    const std::vector<Task>& order = found->second;
    LaneProgram& program = graph.ordered(lane);
    program.order.reserve(order.size() * static_cast<std::size_t>(graph.iterations));
    // Recomputation is spelled out only by those who want it elsewhere than right before the backward.
    const bool addsRecompute = recomputes && std::none_of(order.begin(), order.end(), [](const Task& task) {
                                   return task.kind == TaskKind::recompute;
                               });
    for (int iteration = 0; iteration < graph.iterations; ++iteration)
        addIteration(program, order, iteration, device, addsRecompute);
    evictions_.addWaits(program, draft_.deviceId(device));
    requireEachOnce(graph, program.order, draft_.deviceId(device));
}

void DeviceOrderLanes::addIteration(LaneProgram& program, std::span<const Task> order, int iteration,
                                    int device, bool addsRecompute) {
    for (std::size_t i = 0; i < order.size();) {
        std::size_t end = i + 1;
        if (isComputed(order[i].kind)) {
            while (end < order.size() && order[end].paired) ++end;
            appendBlock(program, order.subspan(i, end - i), iteration, device, addsRecompute);
        } else {
            evictions_.append(program, order[i], iteration, device);
        }
        i = end;
    }
}

inline void DeviceOrderLanes::appendPass(LaneProgram& program, const Task& task, int iteration, int device) {
    const StageRows& rows = draft_.rowsOfTask(task, device);
    const std::uint32_t entry = draft_.entryOf(task, iteration);
    program.order.push_back({rows.of(task.kind), entry});
    if (task.kind == TaskKind::backward && rows.weightGradient >= 0)
        program.order.push_back({rows.weightGradient, entry});
}

void DeviceOrderLanes::appendBlock(LaneProgram& program, std::span<const Task> tasks, int iteration,
                                   int device, bool addsRecompute) {
    if (tasks.size() > 1) requirePair(tasks, device);
    if (addsRecompute)
        for (const Task& task : tasks)
            if (const StageRows& rows = draft_.rowsOfTask(task, device);
                rows.recompute >= 0 &&
                (task.kind == TaskKind::backward || task.kind == TaskKind::inputGradient))
                program.order.push_back({rows.recompute, draft_.entryOf(task, iteration)});
    const auto appendRow = [&](int row) {
        if (row >= 0) program.order.push_back({row, draft_.entryOf(tasks.front(), iteration)});
    };
    const StageRows& rows = draft_.rowsOfTask(tasks.front(), device);
    appendRow(rows.togetherBefore(tasks.front().kind));
    const std::size_t first = program.order.size();
    for (const Task& task : tasks) appendPass(program, task, iteration, device);
    if (program.order.size() > first + 1 && draft_.lowered().namesPasses) blocks_.fuse(program, first);
    appendRow(rows.togetherAfter(tasks.front().kind));
}

void DeviceOrderLanes::requirePair(std::span<const Task> tasks, int device) const {
    if (draft_.graph().slices > 1)
        throw SimulationError("the order of device " + draft_.deviceId(device) +
                              " has a pair; expected none where sequences are cut into slices");
    if (tasks.size() == 2 && tasks[0].kind == TaskKind::forward && tasks[1].kind == TaskKind::backward)
        return;
    throw SimulationError("the order of device " + draft_.deviceId(device) +
                          " has a pair that is not a forward and a whole backward");
}

}  // namespace stagecraft::simulation
