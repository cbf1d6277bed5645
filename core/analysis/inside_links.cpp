#include "core/analysis/inside_links.h"

#include "core/cost/stage_layout.h"

#include <map>
#include <tuple>

namespace stagecraft::analysis {

namespace {

/// Adds up what goes from one rank to another.
class HopCounter {
public:
    HopCounter(const StageLayout& layout, const Interconnect& net) : layout_(layout), net_(net) {}

    /// @param forward which of the bytes sent; @param bytes of InsideHop, where those of a rank are added
    /// @param busiest how many times as much as the mean the busiest expert rank sends
    void add(const InsideSends& sends, bool forward, double InsideHop::*bytes, double busiest) {
        const auto sendIn = [&](const std::vector<std::vector<int>>& lists, const InsideSend& send,
                                double part) {
            const double sent = (forward ? send.forwardBytes : send.backwardBytes) * part;
            for (const std::vector<int>& ranks : lists)
                for (const RankHop& hop : collectiveHops(forward ? send.forwardBy : send.backwardBy, ranks,
                                                         net_, send.severalRings, sent))
                    hops_.try_emplace({hop.from, hop.to, hop.way}, InsideHop{hop.from, hop.to, hop.way})
                            .first->second.*
                        bytes += hop.bytes;
        };
        sendIn(layout_.tensorRings(), sends.tensor, 1);
        sendIn(layout_.contextRings(), sends.context, 1);
        sendIn(layout_.expertGroups(), sends.expert, 1 / busiest);
    }

    std::vector<InsideHop> hops() const {
        std::vector<InsideHop> all;
        for (const auto& [ends, hop] : hops_) all.push_back(hop);
        return all;
    }

private:
    const StageLayout& layout_;
    const Interconnect& net_;
    std::map<std::tuple<int, int, int>, InsideHop> hops_;  // by ends and way
};

}  // namespace

std::vector<InsideHop> insideHops(const CostModel& costs, const Plan& plan, int index) {
    const Stage& stage = plan.stages[static_cast<std::size_t>(index)];
    if (!stage.group.dividesLayers()) return {};
    const StageLayout layout(stage);
    const std::vector<int> ranks = layout.ranksOf(0);
    HopCounter counter(layout, costs.interconnect());
    const double busiest = costs.problem().setup.imbalanceOf(stage.group);
    const double parts = costs.dividedBy(layout.sharers());
    const InsideSends all = costs.insideSends(stage, ranks, stage.firstLayer, stage.lastLayer, parts);
    const bool mixed = all.tensor.isMixed;
    for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer) {
        const InsideSends own = mixed ? costs.insideSends(stage, ranks, layer, layer, parts) : all;
        counter.add(own, true, &InsideHop::forwardBytes, busiest);
        counter.add(own, false, &InsideHop::backwardBytes, busiest);
        if (!mixed) break;
    }
    for (const auto& [layer, memory] : plan.memory.layers) {
        const bool again = memory == LayerMemory::recompute || memory == LayerMemory::checkpoint;
        if (!again || layer < stage.firstLayer || layer > stage.lastLayer) continue;
        counter.add(costs.insideSends(stage, ranks, layer, layer, parts), true, &InsideHop::recomputeBytes,
                    busiest);
    }
    return counter.hops();
}

}  // namespace stagecraft::analysis
