#include "core/analysis/inside_links.h"

#include "core/cost/stage_layout.h"

#include <map>

namespace stagecraft::analysis {

namespace {

/// Adds up what goes from one rank to another.
class HopCounter {
public:
    explicit HopCounter(const StageLayout& layout) : layout_(layout) {}

    /// @param bytes of InsideHop, where those of a rank are added
    /// @param busiest how many times as much as the mean the busiest expert rank sends
    void add(const InsideSends& sends, double InsideSend::*sent, double InsideHop::*bytes, double busiest) {
        for (const auto& ring : layout_.tensorRings()) sendRound(ring, sends.tensor.*sent, bytes);
        for (const auto& ring : layout_.contextRings()) sendRound(ring, sends.context.*sent, bytes);
        for (const auto& group : layout_.expertGroups())
            sendToAll(group, sends.expert.*sent / busiest, bytes);
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
    HopCounter counter(layout);
    const double busiest = costs.problem().setup.imbalanceOf(stage.group);
    const double parts = costs.dividedBy(layout.sharers());
    const InsideSends all = costs.insideSends(stage, ranks, stage.firstLayer, stage.lastLayer, parts);
    counter.add(all, &InsideSend::forwardBytes, &InsideHop::forwardBytes, busiest);
    counter.add(all, &InsideSend::backwardBytes, &InsideHop::backwardBytes, busiest);
    for (const auto& [layer, memory] : plan.memory.layers) {
        const bool again = memory == LayerMemory::recompute || memory == LayerMemory::checkpoint;
        if (!again || layer < stage.firstLayer || layer > stage.lastLayer) continue;
        counter.add(costs.insideSends(stage, ranks, layer, layer, parts), &InsideSend::forwardBytes,
                    &InsideHop::recomputeBytes, busiest);
    }
    return counter.hops();
}

}  // namespace stagecraft::analysis
