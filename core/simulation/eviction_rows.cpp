#include "core/simulation/eviction_rows.h"

#include "core/simulation/execution_graph.h"

#include <algorithm>
#include <unordered_map>

namespace stagecraft::simulation {

void EvictionRows::add() {
    const std::map<int, std::vector<Task>>& orders = draft_.lowered().devices.orders;
    std::vector<std::set<int>> evicted(draft_.plan().stages.size());
    for (const Lane& lane : draft_.lanes().lanes()) {
        const auto order = orders.find(lane.devices.front());
        if (lane.kind != LaneKind::compute || order == orders.end()) continue;
        for (const Task& task : order->second)
            if (task.kind == TaskKind::evict) {
                draft_.rowsOfTask(task, order->first);
                evicted[static_cast<std::size_t>(task.stage)].insert(task.microbatch);
            }
    }
    for (std::size_t s = 0; s < evicted.size(); ++s)
        if (!evicted[s].empty()) addEviction(static_cast<int>(s), evicted[s]);
}

void EvictionRows::addEviction(int s, const std::set<int>& microbatches) {
    requireEvictable(s);
    const int mirrored = draft_.plan().mirroredStage(s);
    const int first = std::min(s, mirrored), second = std::max(s, mirrored);
    const double seconds = draft_.costs().evictionS(draft_.plan(), s, mirrored);
    const auto addPart = [&](BlockKind kind, bool back) {
        const int lane = draft_.lanes().channel(first, second, draft_.stage(first).devices,
                                                draft_.stage(second).devices, back == (s < mirrored));
        const int added = draft_.addRow(kind, s, {{{lane}, seconds, flow(s, back)}}, RowTrigger::microbatch);
        TaskRow& row = draft_.row(added);
        row.perIteration = static_cast<std::uint32_t>(microbatches.size());
        row.microbatches.assign(microbatches.begin(), microbatches.end());
        row.dependencies = 1;  // the task that it begins with
        return added;
    };
    draft_.rowsOf(s).swapOut = addPart(BlockKind::swapOut, false);
    draft_.rowsOf(s).swapIn = addPart(BlockKind::swapIn, true);
}

int EvictionRows::flow(int s, bool back) {
    LinkFlows* flows = draft_.flows();
    if (!flows) return -1;
    const CostModel& costs = draft_.costs();
    const Stage &own = draft_.stage(s), &lender = draft_.stage(draft_.plan().mirroredStage(s));
    const double bytes = costs.keptActivationBytes(draft_.plan(), s) * StageLayout(own).rankCount();
    const double delayS =
        costs.interconnect().maxLatencyS(own.devices, lender.devices) + draft_.setup().transferOverheadS;
    return flows->addTransfer(evictionPairs(own, lender), back, bytes,
                              costs.evictionS(draft_.plan(), s, draft_.plan().mirroredStage(s)), delayS);
}

void EvictionRows::requireEvictable(int s) {
    const auto refuse = [&](const std::string& why) {
        throw SimulationError("stage " + std::to_string(s) + " evicts activations, but " + why);
    };
    const int mirrored = draft_.plan().mirroredStage(s);
    if (mirrored == s) refuse("it is in the middle of its pipeline: no stage mirrors it");
    if (draft_.setup().mode == TrainingMode::asynchronous)
        refuse("evictions are for synchronous training only");
    if (draft_.graph().slices > 1) refuse("the plan cuts sequences into slices");
    if (draft_.costs().stage(draft_.plan(), s).swapBytes > 0)
        refuse("it swaps layers to the host's memory, too");
    for (const int each : {s, mirrored})
        if (draft_.roundRobin(each) || draft_.lanes().computeLanes(each).size() > 1)
            refuse("the devices of stage " + std::to_string(each) + " do not all do the same");
    if (draft_.stage(s).devices == draft_.stage(mirrored).devices)
        refuse("stage " + std::to_string(mirrored) + ", which mirrors it, is on the same devices");
}

void EvictionRows::append(LaneProgram& program, const Task& task, int iteration, int device) const {
    const StageRows& rows = draft_.rowsOfTask(task, device);
    const int chosen = task.kind == TaskKind::evict ? rows.swapOut : rows.swapIn;
    const auto named = [&](const std::string& problem) {
        throw SimulationError("the order of device " + draft_.deviceId(device) + " " + problem +
                              " microbatch " + std::to_string(task.microbatch) + " of stage " +
                              std::to_string(task.stage));
    };
    if (chosen < 0) named("loads, without having evicted,");
    if (program.order.empty()) named("has no task before what it does with");
    const TaskRow& row = draft_.row(chosen);
    const auto own = std::lower_bound(row.microbatches.begin(), row.microbatches.end(), task.microbatch);
    if (own == row.microbatches.end() || *own != task.microbatch) named("loads, without having evicted,");
    const std::uint32_t entry = static_cast<std::uint32_t>(iteration) * row.perIteration +
                                static_cast<std::uint32_t>(own - row.microbatches.begin());
    program.prefetches.push_back({static_cast<std::uint32_t>(program.order.size()) - 1, {chosen, entry}});
}

/// A microbatch is evicted after its forward, then loaded, then used; what comes after an eviction in the
/// order has the memory that it frees.
void EvictionRows::addWaits(const LaneProgram& program, const std::string& device) {
    if (program.prefetches.empty()) return;
    ExecutionGraph& graph = draft_.graph();
    const auto wait = [&](TaskRef before, TaskRef after) {
        graph.waits.push_back({graph.taskId(before), graph.taskId(after)});
    };
    requireBetweenPasses(program, device);
    for (const Prefetch& each : program.prefetches) {
        const TaskRow& own = draft_.row(each.swapIn.row);
        const StageRows& rows = draft_.rowsOf(own.stage);
        const std::uint32_t pass = passOf(each.swapIn);
        if (own.kind == BlockKind::swapIn) {
            wait(each.swapIn, {rows.firstOfBackward(), pass});
            continue;
        }
        wait({rows.forward, pass}, each.swapIn);
        wait(each.swapIn, {rows.swapIn, each.swapIn.entry});
        if (each.position + 1 < program.order.size()) wait(each.swapIn, program.order[each.position + 1]);
    }
}

/// Each once, and what is evicted is loaded.
void EvictionRows::requireBetweenPasses(const LaneProgram& program, const std::string& device) const {
    const ExecutionGraph& graph = draft_.graph();
    std::unordered_map<std::uint32_t, std::uint32_t> places;  // of passes, in the order
    for (std::uint32_t i = 0; i < program.order.size(); ++i)
        places.emplace(graph.taskId(program.order[i]), i);
    std::set<std::uint32_t> seen;
    for (const Prefetch& each : program.prefetches) {
        const TaskRow& own = draft_.row(each.swapIn.row);
        const StageRows& rows = draft_.rowsOf(own.stage);
        const bool isLoad = own.kind == BlockKind::swapIn;
        const auto refuse = [&](const std::string& mistake) {
            throw SimulationError("the order of device " + device + (isLoad ? " loads" : " evicts") +
                                  " microbatch " + std::to_string(own.microbatchOf(each.swapIn.entry)) +
                                  " of stage " + std::to_string(own.stage) + " " + mistake);
        };
        const auto forward = places.find(graph.taskId({rows.forward, passOf(each.swapIn)}));
        const auto backward = places.find(graph.taskId({rows.firstOfBackward(), passOf(each.swapIn)}));
        if (forward == places.end() || backward == places.end() || forward->second > each.position ||
            backward->second <= each.position)
            refuse("at another time than between its forward and its backward");
        if (!seen.insert(graph.taskId(each.swapIn)).second) refuse("twice");
        if (!isLoad && std::ranges::count(program.prefetches, TaskRef{rows.swapIn, each.swapIn.entry},
                                          &Prefetch::swapIn) == 0)
            refuse("and never loads it");
    }
}

std::uint32_t EvictionRows::passOf(TaskRef eviction) const {
    const TaskRow& own = draft_.row(eviction.row);
    return draft_.entryOf({TaskKind::evict, own.stage, own.microbatchOf(eviction.entry)},
                          static_cast<int>(eviction.entry / own.perIteration));
}

}  // namespace stagecraft::simulation
