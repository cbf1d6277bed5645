#include "core/simulation/flow_network.h"

#include "core/base/indices.h"

#include <algorithm>

namespace stagecraft::simulation {

namespace {

constexpr double flowRounding = 1e-10;  // of sums of widths and rates

}  // namespace

FlowNetwork::FlowNetwork(const std::vector<LinkFlow>& flows, std::vector<double> wayBps, std::size_t lanes)
    : flows_(flows), ways_(wayBps.size()), lanes_(lanes) {
    for (std::size_t way = 0; way < wayBps.size(); ++way) ways_[way].widthBps = wayBps[way];
}

bool FlowNetwork::isWanted(const Way& way) {
    double wantedBps = 0;
    for (const Crosser& each : way.crossers) wantedBps += each.wantedBps;
    return wantedBps > way.widthBps * (1 + flowRounding);
}

void FlowNetwork::seed(int lane) {
    LaneFlow& own = lanes_[at(lane)];
    if (own.isSeed) return;
    own.isSeed = true;
    seeds_.push_back(lane);
}

void FlowNetwork::begin(int lane, int flow) {
    LaneFlow& own = lanes_[at(lane)];
    own.flow = flow;
    own.speed = 1;
    for (const LinkFlow::Crossing& each : flowOf(lane).crossings) {
        Way& way = ways_[at(each.way)];
        way.crossers.push_back({lane, each.flows * flowOf(lane).fullBps});
        if (isWanted(way)) seed(lane);
    }
}

void FlowNetwork::end(int lane) {
    for (const LinkFlow::Crossing& each : flowOf(lane).crossings) {
        Way& way = ways_[at(each.way)];
        const bool wasWanted = isWanted(way);
        std::erase_if(way.crossers, [lane](const Crosser& crosser) { return crosser.lane == lane; });
        if (!wasWanted) continue;
        for (const Crosser& other : way.crossers) seed(other.lane);
    }
    lanes_[at(lane)].flow = -1;
}

/// All that ways which cannot carry what is wanted of them join to the seeds, over others of their kind.
void FlowNetwork::findJoined() {
    joined_.clear();
    full_.clear();
    const auto find = [this](int lane) {
        LaneFlow& own = lanes_[at(lane)];
        if (own.isFound || own.flow < 0) return;
        own.isFound = true;
        joined_.push_back(lane);
    };
    for (const int lane : seeds_) {
        lanes_[at(lane)].isSeed = false;
        find(lane);
    }
    seeds_.clear();
    for (std::size_t next = 0; next < joined_.size(); ++next)
        for (const LinkFlow::Crossing& each : flowOf(joined_[next]).crossings) {
            Way& way = ways_[at(each.way)];
            if (way.isFound || !isWanted(way)) continue;
            way.isFound = true;
            full_.push_back(each.way);
            for (const Crosser& crosser : way.crossers) find(crosser.lane);
        }
    // Sums must not depend on the order in which flows began.
    std::sort(joined_.begin(), joined_.end());
}

void FlowNetwork::fix(int lane, double rateBps) {
    LaneFlow& own = lanes_[at(lane)];
    own.rateBps = rateBps;
    for (const LinkFlow::Crossing& each : flowOf(lane).crossings) {
        Way& way = ways_[at(each.way)];
        if (!way.isFound) continue;
        way.takenBps += each.flows * rateBps;
        way.growingFlows -= each.flows;
    }
}

/// Progressive filling.
void FlowNetwork::fill() {
    for (const int index : full_) ways_[at(index)].takenBps = ways_[at(index)].growingFlows = 0;
    for (const int lane : joined_)
        for (const LinkFlow::Crossing& each : flowOf(lane).crossings)
            if (Way& way = ways_[at(each.way)]; way.isFound) way.growingFlows += each.flows;
    growing_ = joined_;
    while (!growing_.empty()) {
        double leastFullBps = infinity, levelBps = infinity;
        for (const int lane : growing_) leastFullBps = std::min(leastFullBps, flowOf(lane).fullBps);
        const auto levelOf = [](const Way& way) { return (way.widthBps - way.takenBps) / way.growingFlows; };
        const auto grows = [](const Way& way) { return way.growingFlows > flowRounding; };
        for (const int index : full_)
            if (const Way& way = ways_[at(index)]; grows(way)) levelBps = std::min(levelBps, levelOf(way));
        const bool isAlone = leastFullBps <= levelBps * (1 + flowRounding);
        const double upToBps = levelBps * (1 + flowRounding);
        fixed_.clear();
        for (const int lane : growing_) {
            const LinkFlow& flow = flowOf(lane);
            const bool isDone =
                isAlone ? flow.fullBps <= upToBps
                        : std::ranges::any_of(flow.crossings, [&](const LinkFlow::Crossing& each) {
                              const Way& way = ways_[at(each.way)];
                              return way.isFound && grows(way) && levelOf(way) <= upToBps;
                          });
            if (isDone) fixed_.push_back(lane);
        }
        for (const int lane : fixed_) {
            fix(lane, isAlone ? flowOf(lane).fullBps : levelBps);
            lanes_[at(lane)].speed = isAlone ? 1 : levelBps / flowOf(lane).fullBps;
        }
        std::erase_if(growing_, [this](int lane) { return lanes_[at(lane)].rateBps > 0; });
    }
}

std::span<const int> FlowNetwork::settle() {
    findJoined();
    for (const int lane : joined_) lanes_[at(lane)].rateBps = 0;
    fill();
    for (const int lane : joined_) lanes_[at(lane)].isFound = false;
    for (const int index : full_) ways_[at(index)].isFound = false;
    return joined_;
}

}  // namespace stagecraft::simulation
