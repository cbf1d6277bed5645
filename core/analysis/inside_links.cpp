#include "core/analysis/inside_links.h"

#include "core/cost/stage_layout.h"

#include <map>

namespace stagecraft::analysis {

namespace {

/// Adds up what goes from one rank to another.
class HopCounter {
public:
    explicit HopCounter(const StageLayout& layout) : layout_(layout) {}

    /// @param bytes of InsideHop, where those of a rank are added, `part` of what `send` says
    void add(const InsideSends& sends, double InsideSend::*sent, double InsideHop::*bytes, double part) {
        for (const auto& ring : layout_.tensorRings()) sendRound(ring, part * sends.tensor.*sent, bytes);
        for (const auto& ring : layout_.contextRings()) sendRound(ring, part * sends.context.*sent, bytes);
        for (const auto& group : layout_.expertGroups()) sendToAll(group, part * sends.expert.*sent, bytes);
    }

    std::vector<InsideHop> hops() const {
        std::vector<InsideHop> all;
        for (const auto& [ends, hop] : hops_) all.push_back(hop);
        return all;
    }

private:
    void sendRound(const std::vector<int>& ring, double each, double InsideHop::*bytes) {
        for (std::size_t place = 0; place < ring.size(); ++place)
            send(ring[place], ring[(place + 1) % ring.size()], each, bytes);
    }

    void sendToAll(const std::vector<int>& ranks, double each, double InsideHop::*bytes) {
        for (const int from : ranks)
            for (const int to : ranks) send(from, to, each / (static_cast<double>(ranks.size()) - 1), bytes);
    }

    void send(int from, int to, double amount, double InsideHop::*bytes) {
        if (from == to || amount == 0) return;
        InsideHop& hop = hops_.try_emplace({from, to}, InsideHop{from, to}).first->second;
        hop.*bytes += amount;
    }

    const StageLayout& layout_;
    std::map<std::pair<int, int>, InsideHop> hops_;
};

}  // namespace

std::vector<InsideHop> insideHops(const CostModel& costs, const Plan& plan, int index) {
    const Stage& stage = plan.stages[static_cast<std::size_t>(index)];
    if (!stage.group.dividesLayers()) return {};
    const StageLayout layout(stage);
    const std::vector<int> ranks = layout.ranksOf(0);
    const double part = 1 / costs.dividedBy(layout.sharers());
    HopCounter counter(layout);
    const InsideSends all = costs.insideSends(stage, ranks, stage.firstLayer, stage.lastLayer);
    counter.add(all, &InsideSend::forwardBytes, &InsideHop::forwardBytes, part);
    counter.add(all, &InsideSend::backwardBytes, &InsideHop::backwardBytes, part);
    for (const auto& [layer, memory] : plan.memory.layers) {
        const bool again = memory == LayerMemory::recompute || memory == LayerMemory::checkpoint;
        if (!again || layer < stage.firstLayer || layer > stage.lastLayer) continue;
        counter.add(costs.insideSends(stage, ranks, layer, layer), &InsideSend::forwardBytes,
                    &InsideHop::recomputeBytes, part);
    }
    return counter.hops();
}

}  // namespace stagecraft::analysis
