#include "core/simulation/lane_layout.h"

#include <algorithm>

namespace stagecraft::simulation {

LaneLayout::LaneLayout(const Plan& plan, int deviceCount, ChannelMode channelMode)
    : plan_(plan), channelMode_(channelMode), computeLanes_(plan.stages.size()) {
    const auto stageOf = [&](int stage) -> const Stage& {
        return plan.stages[static_cast<std::size_t>(stage)];
    };
    // Devices with the same key work together; a round-robin stage makes its devices' keys differ.
    std::vector<std::vector<int>> stagesOf(static_cast<std::size_t>(deviceCount));
    std::vector<bool> isAlone(static_cast<std::size_t>(deviceCount), false);
    for (int stage = 0; stage < plan.stageCount(); ++stage)
        for (const int device : stageOf(stage).devices) {
            std::vector<int>& own = stagesOf[static_cast<std::size_t>(device)];
            if (own.empty() || own.back() != stage) own.push_back(stage);
            if (stageOf(stage).replication == Replication::roundRobin)
                isAlone[static_cast<std::size_t>(device)] = true;
        }
    std::map<std::vector<int>, std::vector<int>> devicesByKey;
    for (int device = 0; device < deviceCount; ++device) {
        std::vector<int>& key = stagesOf[static_cast<std::size_t>(device)];
        if (key.empty()) continue;
        if (isAlone[static_cast<std::size_t>(device)]) key.push_back(-1 - device);
        devicesByKey[std::move(key)].push_back(device);
    }
    std::vector<std::vector<int>> groups;
    for (auto& [key, devices] : devicesByKey) groups.push_back(devices);
    std::sort(groups.begin(), groups.end());
    std::vector<int> laneOfDevice(static_cast<std::size_t>(deviceCount), -1);
    for (const std::vector<int>& devices : groups) {
        const int lane = add({LaneKind::compute, devices, -1, -1, Direction::both, 0, 0});
        for (const int device : devices) laneOfDevice[static_cast<std::size_t>(device)] = lane;
    }
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        std::vector<int>& own = computeLanes_[static_cast<std::size_t>(stage)];
        for (const int device : stageOf(stage).devices)
            own.push_back(laneOfDevice[static_cast<std::size_t>(device)]);
        if (stageOf(stage).replication == Replication::roundRobin) continue;
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
    }
}

std::vector<int> LaneLayout::stagesOn(int lane) const {
    std::vector<int> stages;
    for (int stage = 0; stage < plan_.stageCount(); ++stage) {
        const std::vector<int>& own = computeLanes(stage);
        if (std::find(own.begin(), own.end(), lane) != own.end()) stages.push_back(stage);
    }
    return stages;
}

int LaneLayout::add(Lane lane) {
    lanes_.push_back(std::move(lane));
    return static_cast<int>(lanes_.size()) - 1;
}

int LaneLayout::channel(int fromStage, int toStage, const std::vector<int>& sender,
                        const std::vector<int>& receiver, bool gradient) {
    std::vector<int> from = sender, to = receiver;
    std::sort(from.begin(), from.end());
    std::sort(to.begin(), to.end());
    if (gradient) std::swap(from, to);  // who sends in fact
    const bool fullDuplex = channelMode_ == ChannelMode::fullDuplex;
    if (!fullDuplex && to < from) std::swap(from, to);
    const auto [found, isNew] = channels_.try_emplace({from, to}, static_cast<int>(lanes_.size()));
    const Direction direction = !fullDuplex ? Direction::both
                                : gradient  ? Direction::backward
                                            : Direction::forward;
    if (isNew) {
        Lane lane{LaneKind::channel, sender, fromStage, toStage, direction, 0, 0};
        lane.devices.insert(lane.devices.end(), receiver.begin(), receiver.end());
        add(std::move(lane));
    } else if (lanes_[static_cast<std::size_t>(found->second)].direction != direction) {
        lanes_[static_cast<std::size_t>(found->second)].direction = Direction::both;
    }
    return found->second;
}

int LaneLayout::allReduceLane(const DataParallelGroup& group) {
    return collectiveLane(group.devices, group.stages.front());
}

int LaneLayout::collectiveLane(const std::vector<int>& devices, int stage) {
    const auto [found, isNew] = reductions_.try_emplace(devices, static_cast<int>(lanes_.size()));
    if (isNew) add({LaneKind::allReduce, devices, stage, -1, Direction::both, 0, 0});
    return found->second;
}

int LaneLayout::hostLink(int computeLane) {
    const auto [found, isNew] = hostLinks_.try_emplace(computeLane, static_cast<int>(lanes_.size()));
    if (isNew)
        add({LaneKind::hostLink, lanes_[static_cast<std::size_t>(computeLane)].devices, -1, -1,
             Direction::both, 0, 0});
    return found->second;
}

}  // namespace stagecraft::simulation
