#include "core/analysis/packet_routes.h"

#include "core/cost/stage_layout.h"

#include <algorithm>

namespace stagecraft::analysis {

namespace {

/// A replica that takes its turn sends alone, and has its own lanes.
std::size_t senderCount(const Plan& plan, const Lane& lane) {
    return static_cast<std::size_t>(
        StageLayout(plan.stages[static_cast<std::size_t>(lane.fromStage)]).ranksAtWork());
}

}  // namespace

std::vector<PacketRoute> packetRoutes(Routes& routes, const Plan& plan, const Lane& lane) {
    std::vector<PacketRoute> ways;
    const auto add = [&](int from, int to) {
        if (from != to) ways.push_back({from, to, linksOf(routes.between(from, to))});
    };
    const std::vector<int>& devices = lane.devices;
    if (lane.kind == LaneKind::channel) {
        const std::size_t senders = senderCount(plan, lane), receivers = devices.size() - senders;
        for (std::size_t i = 0; i < std::max(senders, receivers); ++i)
            add(devices[i % senders], devices[senders + i % receivers]);
    } else if (lane.kind == LaneKind::allReduce) {
        for (std::size_t i = 0; i < devices.size(); ++i) add(devices[i], devices[(i + 1) % devices.size()]);
    }
    return ways;
}

bool goesAlong(const Plan& plan, int fromDevice, int sendingStage) {
    const std::vector<int>& senders = plan.stages[static_cast<std::size_t>(sendingStage)].devices;
    return std::find(senders.begin(), senders.end(), fromDevice) != senders.end();
}

}  // namespace stagecraft::analysis
