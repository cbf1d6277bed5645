#include "core/simulation/transfer_edges.h"

#include "core/cost/stage_layout.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::simulation {

namespace {

/// Whether the same devices are in both, each as often, in whatever order.
bool areSame(std::span<const int> some, std::span<const int> others) {
    if (some.size() != others.size()) return false;
    if (std::equal(some.begin(), some.end(), others.begin())) return true;
    if (some.size() == 1) return false;
    std::vector<int> one(some.begin(), some.end()), other(others.begin(), others.end());
    std::sort(one.begin(), one.end());
    std::sort(other.begin(), other.end());
    return one == other;
}

}  // namespace

TransferEdges::TransferEdges(const CostModel& costs, const Plan& plan, SharedStageEdges edges)
    : costs_(costs), plan_(plan), edges_(std::move(edges)) {}

bool TransferEdges::isEndOf(int index, std::span<const int> devices) const {
    const Stage& stage = plan_.stages[static_cast<std::size_t>(index)];
    if (stage.replication == Replication::roundRobin)
        return devices.size() == 1 &&
               std::find(stage.devices.begin(), stage.devices.end(), devices.front()) != stage.devices.end();
    return areSame(devices, stage.devices);
}

bool TransferEdges::joins(const Lane& lane, const StageEdge& edge) const {
    const Stage& named = plan_.stages[static_cast<std::size_t>(lane.fromStage)];
    const auto middle = static_cast<std::size_t>(StageLayout(named).ranksAtWork());
    const std::span<const int> devices(lane.devices), one = devices.first(middle),
                                                      other = devices.subspan(middle);
    return (isEndOf(edge.from, one) && isEndOf(edge.to, other)) ||
           (isEndOf(edge.from, other) && isEndOf(edge.to, one));
}

std::vector<const StageEdge*> TransferEdges::between(const Lane& lane, int sender, bool gradient) const {
    const std::vector<StageEdge>& sent = gradient ? edges_->receivedBy(sender) : edges_->sentBy(sender);
    std::vector<const StageEdge*> found;
    for (const StageEdge& edge : sent)
        if (sent.size() == 1 || joins(lane, edge)) found.push_back(&edge);
    return found;
}

double TransferEdges::durationS(const StageEdge& edge, const Lane& lane, bool gradient) const {
    const TransferCost cost =
        costs_.transfer(edge.forwardBytes, edge.backwardBytes,
                        plan_.stages[static_cast<std::size_t>(edge.from)], devicesOn(edge.from, lane),
                        plan_.stages[static_cast<std::size_t>(edge.to)], devicesOn(edge.to, lane));
    return gradient ? cost.backwardS : cost.forwardS;
}

const StageEdge* TransferEdges::of(const Timeline& timeline, const Lane& lane, std::uint32_t block) const {
    const bool gradient = timeline.kind[block] == BlockKind::transferBackward;
    const int sender = timeline.stage[block];
    const std::vector<StageEdge>& sent = gradient ? edges_->receivedBy(sender) : edges_->sentBy(sender);
    if (sent.size() == 1) return &sent.front();
    const std::vector<const StageEdge*> all = between(lane, sender, gradient);
    if (all.size() < 2) return all.empty() ? nullptr : all.front();
    const auto missS = [&](const StageEdge* edge) {
        return std::abs(durationS(*edge, lane, gradient) - timeline.aloneS(block));
    };
    return *std::min_element(all.begin(), all.end(),
                             [&](const StageEdge* a, const StageEdge* b) { return missS(a) < missS(b); });
}

bool TransferEdges::hasAllOf(int stage, const Lane& lane) const {
    const std::vector<int>& own = plan_.stages[static_cast<std::size_t>(stage)].devices;
    return own.size() <= lane.devices.size() && (std::equal(own.begin(), own.end(), lane.devices.begin()) ||
                                                 std::equal(own.rbegin(), own.rend(), lane.devices.rbegin()));
}

std::vector<int> TransferEdges::devicesOn(int stage, const Lane& lane) const {
    const std::vector<int>& own = plan_.stages[static_cast<std::size_t>(stage)].devices;
    if (hasAllOf(stage, lane)) return own;
    std::vector<int> devices;
    for (const int device : own)
        if (std::find(lane.devices.begin(), lane.devices.end(), device) != lane.devices.end())
            devices.push_back(device);
    return devices;
}

}  // namespace stagecraft::simulation
