#include "core/simulation/shared_blocks.h"

#include "core/simulation/execution_graph.h"

#include <algorithm>
#include <unordered_map>

namespace stagecraft::simulation {

void SharedBlocks::fuse(LaneProgram& program, std::size_t first) {
    const std::span<const TaskRef> block = std::span(program.order).subspan(first);
    const bool isPair = draft_.row(block.front().row).kind == BlockKind::forward;
    Fusion fusion{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(block.size()),
                  isPair ? BlockKind::pair : BlockKind::backward};
    if (isPair && draft_.row(block[1].row).stage == draft_.row(block[0].row).stage &&
        block[1].entry == block[0].entry)
        throw SimulationError("stage " + std::to_string(draft_.row(block[0].row).stage) +
                              " has a pair of a microbatch's forward and its own backward");
    addDuration(fusion, block);
    if (!isPair) fusion.sends = draft_.rowsOf(draft_.row(block.front().row).stage).wholeBackwardSends;
    program.fusions.push_back(fusion);
}

void SharedBlocks::addDuration(Fusion& fusion, std::span<const TaskRef> block) const {
    const ExecutionGraph& graph = draft_.graph();
    const TaskRow& head = draft_.row(block.front().row);
    for (std::size_t i = 0; i < block.size(); ++i) {
        const TaskRow& own = draft_.row(block[i].row);
        fusion.durationS += graph.variant(own, block[i].entry).durationS;
        for (const TaskRef& each : block) {
            const std::vector<int>& next = draft_.row(each.row).next;
            if (each.entry == block[i].entry)
                fusion.within[i] +=
                    static_cast<std::uint32_t>(std::count(next.begin(), next.end(), block[i].row));
        }
        if (graph.variant(own, block[i].entry).lanes != graph.variant(head, block.front().entry).lanes)
            throw SimulationError("stages " + std::to_string(head.stage) + " and " +
                                  std::to_string(own.stage) +
                                  " have a pair, but do not share all of their devices");
    }
    if (fusion.kind != BlockKind::pair) return;
    fusion.durationS = pairS(block.front(), block.back(), fusion.durationS);
    if (!(fusion.durationS > 0))
        throw SimulationError("a pair would last " + std::to_string(fusion.durationS) +
                              " s; expected a share or a time above 0");
}

/// Of what either stage's ranks send to experts and back, what the other's computing hides.
double SharedBlocks::hiddenS(int forwardStage, int backwardStage) const {
    const double share = draft_.lowered().devices.pairTimes.hidden;
    if (!(share > 0)) return 0;
    const StageCost forward = draft_.costs().stage(draft_.plan(), forwardStage),
                    backward = draft_.costs().stage(draft_.plan(), backwardStage);
    return std::min(share * forward.expertForwardS, backward.backwardS - backward.sentBackwardS) +
           std::min(share * backward.expertBackwardS, forward.forwardS - forward.sentForwardS);
}

/// @param bothS of its passes one after the other. They do not end sooner than the longer would alone.
double SharedBlocks::pairS(TaskRef forward, TaskRef backward, double bothS) const {
    const PairTimes& times = draft_.lowered().devices.pairTimes;
    const TaskRow& row = draft_.row(forward.row);
    const auto stage = static_cast<std::size_t>(row.stage);
    if (stage < times.byForwardS.size()) return times.byForwardS[stage];
    if (!(times.share > 0)) return 0;
    const double forwardS = draft_.graph().variant(row, forward.entry).durationS;
    const double apartS = bothS - hiddenS(row.stage, draft_.row(backward.row).stage);
    return std::max({apartS * times.share, forwardS, bothS - forwardS});
}

std::span<const TaskRef> SharedBlocks::tasksOf(std::size_t lane, const Fusion& fusion) const {
    return std::span(draft_.graph().programs[lane].order).subspan(fusion.position, fusion.count);
}

void SharedBlocks::requireSame() const {
    const ExecutionGraph& graph = draft_.graph();
    std::vector<std::unordered_map<std::uint32_t, const Fusion*>> byFirstTask(graph.programs.size());
    for (std::size_t lane = 0; lane < graph.programs.size(); ++lane)
        for (const Fusion& fusion : graph.programs[lane].fusions)
            byFirstTask[lane].emplace(graph.taskId(tasksOf(lane, fusion).front()), &fusion);
    for (std::size_t lane = 0; lane < graph.programs.size(); ++lane)
        for (const Fusion& fusion : graph.programs[lane].fusions) {
            const std::span<const TaskRef> tasks = tasksOf(lane, fusion);
            const TaskRef first = tasks.front();
            for (const int each : graph.variant(draft_.row(first.row), first.entry).lanes) {
                const auto other = static_cast<std::size_t>(each);
                const auto found = byFirstTask[other].find(graph.taskId(first));
                if (found == byFirstTask[other].end() ||
                    !std::ranges::equal(tasks, tasksOf(other, *found->second)))
                    refuseBlockOfOne(lane, other, fusion.kind, first);
            }
        }
}

void SharedBlocks::refuseBlockOfOne(std::size_t lane, std::size_t other, BlockKind kind,
                                    TaskRef first) const {
    const auto idOf = [&](std::size_t each) {
        return draft_.deviceId(draft_.graph().lanes[each].devices.front());
    };
    const TaskRow& holder = draft_.row(first.row);
    throw SimulationError("devices " + idOf(lane) + " and " + idOf(other) + " share stage " +
                          std::to_string(holder.stage) + ", but only the order of " + idOf(lane) + " has " +
                          (kind == BlockKind::pair ? "the pair" : "the whole backward") +
                          " that begins with microbatch " + std::to_string(holder.microbatchOf(first.entry)) +
                          "; expected it in both");
}

}  // namespace stagecraft::simulation
