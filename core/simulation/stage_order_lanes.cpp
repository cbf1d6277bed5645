#include "core/simulation/stage_order_lanes.h"

namespace stagecraft::simulation {

void StageOrderLanes::add() {
    for (int s = 0; s < draft_.plan().stageCount(); ++s) addStage(s);
}

void StageOrderLanes::addStage(int s) {
    ExecutionGraph& graph = draft_.graph();
    const StageOrder& order = draft_.lowered().stages[static_cast<std::size_t>(s)];
    const StageRows& rows = draft_.rowsOf(s);
    const int all = static_cast<int>(draft_.row(rows.forward).perIteration) * graph.iterations;
    const int rounds = draft_.lowered().streams ? 1 : graph.iterations, perRound = all / rounds;
    const std::size_t blocksAnOp = rows.recompute >= 0 || rows.weightGradient >= 0 ? 2 : 1;
    for (const int lane : draft_.lanes().computeLanes(s))
        graph.ordered(lane).order.reserve(blocksAnOp * 2 *
                                          static_cast<std::size_t>(all / draft_.replicas(s) + 1));
    for (int round = 0; round < rounds; ++round)
        for (std::size_t first = 0; first < order.ofReplicas.size(); ++first)
            for (const StageOp& op : order.ofReplicas[first])
                append(op.kind, rows,
                       static_cast<std::uint32_t>(round * perRound + static_cast<int>(first) +
                                                  op.microbatch * order.step));
}

/// An order without split backwards has its weight gradients right after.
void StageOrderLanes::append(TaskKind kind, const StageRows& rows, std::uint32_t entry) {
    ExecutionGraph& graph = draft_.graph();
    if (kind == TaskKind::backward && rows.recompute >= 0) graph.append({rows.recompute, entry});
    const int chosen = kind == TaskKind::forward    ? rows.forward
                       : kind == TaskKind::backward ? rows.backward
                                                    : rows.weightGradient;
    graph.append({chosen, entry});
    if (kind == TaskKind::backward && rows.weightGradient >= 0) graph.append({rows.weightGradient, entry});
}

}  // namespace stagecraft::simulation
