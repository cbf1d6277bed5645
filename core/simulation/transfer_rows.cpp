#include "core/simulation/transfer_rows.h"

#include <numeric>

namespace stagecraft::simulation {

void TransferRows::add() {
    for (const StageEdge& edge : draft_.lowered().edges->all()) {
        const StageRows &from = draft_.rowsOf(edge.from), &to = draft_.rowsOf(edge.to);
        if (!edge.needsTransfer) {
            draft_.follow(from.forward, to.forward);
            waitForGradient(to.backward, edge.from);
            continue;
        }
        const int forward =
            draft_.addRow(BlockKind::transferForward, edge.from, variants(edge, false), RowTrigger::pass);
        draft_.follow(from.forward, forward);
        draft_.follow(forward, to.forward);
        const int backward =
            draft_.addRow(BlockKind::transferBackward, edge.to, variants(edge, true), RowTrigger::pass);
        draft_.follow(to.backward, backward);
        waitForGradient(backward, edge.from);
        added_.push_back({edge.from, edge.to, forward, backward});
    }
}

std::vector<TaskVariant> TransferRows::variants(const StageEdge& edge, bool gradient) {
    std::vector<TaskVariant> variants;
    const int count = std::lcm(draft_.replicas(edge.from), draft_.replicas(edge.to));
    for (int variant = 0; variant < count; ++variant) {
        const std::vector<int> from = sender(edge.from, variant), to = sender(edge.to, variant);
        const TransferCost cost = draft_.costs().transfer(
            edge.forwardBytes, edge.backwardBytes, draft_.stage(edge.from), from, draft_.stage(edge.to), to);
        variants.push_back({{draft_.lanes().channel(edge.from, edge.to, from, to, gradient)},
                            gradient ? cost.backwardS : cost.forwardS,
                            flow(edge, from, to, cost, gradient)});
    }
    return variants;
}

int TransferRows::flow(const StageEdge& edge, const std::vector<int>& from, const std::vector<int>& to,
                       const TransferCost& cost, bool gradient) {
    LinkFlows* flows = draft_.flows();
    if (!flows) return -1;
    Stage sends = draft_.stage(edge.from), receives = draft_.stage(edge.to);
    sends.devices = from;
    receives.devices = to;
    return flows->addTransfer(handOvers(sends, receives), gradient,
                              gradient ? cost.backwardBytes : cost.forwardBytes,
                              gradient ? cost.backwardS : cost.forwardS, cost.latencyS);
}

std::vector<int> TransferRows::sender(int stage, int variant) const {
    const std::vector<int>& devices = draft_.stage(stage).devices;
    if (!draft_.roundRobin(stage)) return devices;
    return {devices[static_cast<std::size_t>(variant % draft_.replicas(stage))]};
}

/// Recomputation is part of the backward pass: it too starts when the gradient is there.
void TransferRows::waitForGradient(int earlier, int stage) {
    draft_.follow(earlier, draft_.rowsOf(stage).backward);
    if (draft_.rowsOf(stage).recompute >= 0) draft_.follow(earlier, draft_.rowsOf(stage).recompute);
}

void TransferRows::orderChannels() {
    ExecutionGraph& graph = draft_.graph();
    for (const ChannelOrder& order : draft_.lowered().channels)
        for (const Both& both : added_) {
            if (both.from != order.from || both.to != order.to) continue;
            const std::uint32_t perIteration = draft_.row(both.forward).perIteration;
            for (int iteration = 0; iteration < graph.iterations; ++iteration)
                for (const ChannelOp& op : order.ops)
                    graph.append({op.backward ? both.backward : both.forward,
                                  static_cast<std::uint32_t>(iteration) * perIteration +
                                      static_cast<std::uint32_t>(op.microbatch)});
        }
}

}  // namespace stagecraft::simulation
