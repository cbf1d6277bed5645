#include "core/simulation/contended_flows.h"

#include "core/base/indices.h"

#include <algorithm>
#include <map>
#include <utility>

namespace stagecraft::simulation {

namespace {

using FlowUse = std::pair<int, double>;  ///< flow, how many of it

/// By flow: the lane of its task.
std::vector<int> lanesOfFlows(const ExecutionGraph& graph, std::size_t flows) {
    std::vector<int> lanes(flows, -1);
    for (const TaskRow& row : graph.rows)
        for (const TaskVariant& variant : row.variants)
            if (variant.flow >= 0) lanes[at(variant.flow)] = variant.lanes.front();
    for (const PassSendings& pass : graph.sends)
        for (const Sending& each : pass.all) lanes[at(each.flow)] = pass.lane;
    return lanes;
}

/// The most that can be wanted of a way at one time: of each lane what its largest flow wants.
double mostWantedBps(const std::vector<FlowUse>& uses, const std::vector<LinkFlow>& flows,
                     const std::vector<int>& laneOf) {
    std::map<int, double> byLane;
    for (const auto& [flow, count] : uses) {
        double& mostBps = byLane[laneOf[at(flow)]];
        mostBps = std::max(mostBps, count * flows[at(flow)].fullBps);
    }
    double allBps = 0;
    for (const auto& [lane, bps] : byLane) allBps += bps;
    return allBps;
}

}  // namespace

void keepContended(ExecutionGraph& graph, LinkFlows& drafted, const Cluster& cluster) {
    constexpr double rounding = 1e-10;
    std::vector<LinkFlow> flows = drafted.take();
    const std::vector<int> laneOf = lanesOfFlows(graph, flows.size());
    std::map<int, std::vector<FlowUse>> usesOfWay;
    for (std::size_t flow = 0; flow < flows.size(); ++flow)
        for (const LinkFlow::Crossing& each : std::exchange(flows[flow].crossings, {}))
            usesOfWay[each.way].emplace_back(static_cast<int>(flow), each.flows);
    std::map<std::vector<FlowUse>, double> widths;
    for (auto& [way, uses] : usesOfWay) {
        const double widthBps = cluster.links[at(way / 2)].bandwidthBps;
        if (mostWantedBps(uses, flows, laneOf) <= widthBps * (1 + rounding)) continue;
        const auto [known, isNew] = widths.try_emplace(std::move(uses), widthBps);
        known->second = std::min(known->second, widthBps);
    }
    for (const auto& [uses, widthBps] : widths) {
        for (const auto& [flow, count] : uses)
            flows[at(flow)].crossings.push_back({static_cast<int>(graph.wayBps.size()), count});
        graph.wayBps.push_back(widthBps);
    }
    for (TaskRow& row : graph.rows)
        for (TaskVariant& variant : row.variants)
            if (variant.flow >= 0 && flows[at(variant.flow)].crossings.empty()) variant.flow = -1;
    for (PassSendings& pass : graph.sends)
        std::erase_if(pass.all, [&](const Sending& each) { return flows[at(each.flow)].crossings.empty(); });
    if (!widths.empty()) graph.flows = std::move(flows);
}

}  // namespace stagecraft::simulation
