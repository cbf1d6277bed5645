#include "core/simulation/transfer_edges.h"

#include <algorithm>

namespace stagecraft::simulation {

TransferEdges::TransferEdges(const CostModel& costs, const Plan& plan) : plan_(plan) {
    for (const StageEdge& edge : costs.stageEdges(plan)) edges_[{edge.from, edge.to}] = edge;
}

const StageEdge* TransferEdges::of(const Lane& lane, int sender, bool gradient) const {
    const StageEdge* best = nullptr;
    for (const auto& [ends, edge] : edges_) {
        if ((gradient ? edge.to : edge.from) != sender) continue;
        if (devicesOn(gradient ? edge.from : edge.to, lane).empty()) continue;
        if (!best || (edge.from == lane.fromStage && edge.to == lane.toStage)) best = &edge;
    }
    return best;
}

std::vector<int> TransferEdges::devicesOn(int stage, const Lane& lane) const {
    std::vector<int> devices;
    for (const int device : plan_.stages[static_cast<std::size_t>(stage)].devices)
        if (std::find(lane.devices.begin(), lane.devices.end(), device) != lane.devices.end())
            devices.push_back(device);
    return devices;
}

double TransferEdges::inputBytes(int stage) const {
    double bytes = 0;
    for (const auto& [ends, edge] : edges_)
        if (ends.second == stage) bytes += edge.forwardBytes;
    return bytes;
}

}  // namespace stagecraft::simulation
