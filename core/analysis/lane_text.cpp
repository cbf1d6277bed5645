#include "core/analysis/lane_text.h"

#include "core/model/lane_stages.h"

#include <algorithm>
#include <vector>

namespace stagecraft::analysis {

namespace {

constexpr std::size_t mostListed = 3;

std::string listed(const std::vector<std::string>& names) {
    if (names.size() > mostListed) return names.front() + " … " + names.back();
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) text += (i ? ", " : "") + names[i];
    return text;
}

std::vector<std::string> deviceIds(const Cluster& cluster, const Lane& lane) {
    std::vector<std::string> ids;
    for (const int device : lane.devices) ids.push_back(cluster.devices[static_cast<std::size_t>(device)].id);
    return ids;
}

}  // namespace

std::string laneText(const Timeline& timeline, const Plan& plan, const Cluster& cluster, int index) {
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(index)];
    std::vector<std::string> stages;
    for (std::size_t stage = 0; stage < plan.stages.size(); ++stage) {
        const std::vector<int>& own = plan.stages[stage].devices;
        if (std::find(own.begin(), own.end(), lane.devices.front()) != own.end())
            stages.push_back(std::to_string(stage));
    }
    switch (lane.kind) {
        case LaneKind::compute:
            return (stages.size() == 1 ? "stage " : "stages ") + listed(stages);
        case LaneKind::channel:
            return "the link " + betweenStages(stagePairs(plan, timeline, lane));
        case LaneKind::allReduce:
            return (lane.blockCount() > 0 && timeline.kind[lane.firstBlock] != BlockKind::allReduce
                        ? "the collectives of "
                        : "the AllReduce of ") +
                   namedStages(stagesServed(plan, lane));
        case LaneKind::hostLink:
            return "the host link of " + listed(deviceIds(cluster, lane));
        case LaneKind::stream:
            return "a stream of " + listed(deviceIds(cluster, lane));
    }
    return "?";
}

std::string laneTextWithDevices(const Timeline& timeline, const Plan& plan, const Cluster& cluster,
                                int index) {
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(index)];
    const std::string name = laneText(timeline, plan, cluster, index);
    return lane.kind == LaneKind::compute ? name + " (" + listed(deviceIds(cluster, lane)) + ")" : name;
}

}  // namespace stagecraft::analysis
