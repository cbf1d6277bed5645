#include "core/planners/pipedream/levels.h"

#include "core/base/units.h"
#include "core/runs/device_list.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

namespace stagecraft::planners {

namespace {

using Groups = std::vector<std::vector<int>>;  // each ascending, by lowest device

double leastInsideBps(const Interconnect& network, const Groups& groups) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::vector<int>& group : groups)
        least = std::min(least, network.minBandwidthBps(group, group));
    return least;
}

/// The devices that are joined at `bandwidthBps` or more, directly or over others.
Groups groupsAt(const JoinTree& tree, int devices, double bandwidthBps) {
    Groups groups;
    std::unordered_map<int, std::size_t> groupOf;  // by part of the tree
    for (int device = 0; device < devices; ++device) {
        const auto [found, isNew] = groupOf.try_emplace(tree.partOf(device, bandwidthBps), groups.size());
        if (isNew) groups.emplace_back();
        groups[found->second].push_back(device);
    }
    return groups;
}

/// Whether two devices of one of the groups have that very bandwidth.
bool isBetweenTwo(const Interconnect& network, const Groups& groups, double bandwidthBps) {
    return std::ranges::any_of(groups, [&](const std::vector<int>& group) {
        return std::ranges::any_of(group, [&](int a) {
            return std::ranges::any_of(
                group, [&](int b) { return b < a && network.bandwidthBps(a, b) == bandwidthBps; });
        });
    });
}

bool allAlike(const Groups& groups) {
    return std::all_of(groups.begin(), groups.end(),
                       [&](const auto& group) { return group.size() == groups.front().size(); });
}

std::string sizesOf(const Groups& groups) {
    std::set<std::size_t> sizes;
    for (const auto& group : groups) sizes.insert(group.size());
    std::string text;
    for (const std::size_t size : sizes) text += (text.empty() ? "" : ", ") + std::to_string(size);
    return text;
}

/// Devices so that every group of every level is together, groups by their lowest device.
std::vector<int> lineUp(const std::vector<Groups>& levels) {
    std::vector<int> order;
    const std::function<void(std::size_t, const std::vector<int>&)> visit =
        [&](std::size_t level, const std::vector<int>& devices) {
            if (level == 0) {
                order.insert(order.end(), devices.begin(), devices.end());
                return;
            }
            for (const std::vector<int>& group : levels[level - 1])
                if (std::binary_search(devices.begin(), devices.end(), group.front()))
                    visit(level - 1, group);
        };
    if (!levels.empty()) visit(levels.size() - 1, levels.back().front());
    return order;
}

}  // namespace

PipeDreamMachines flatMachines(const CostModel& costs) {
    PipeDreamMachines machines;
    machines.devices = devicesAsNumbered(costs.deviceCount());
    machines.levels = {{costs.deviceCount(), leastInsideBps(costs.interconnect(), {machines.devices})}};
    machines.names = {"devices"};
    return machines;
}

PipeDreamMachines serverMachines(const CostModel& costs) {
    PipeDreamMachines machines;
    const Cluster& cluster = costs.problem().cluster;
    const std::vector<std::string> servers = cluster.servers();
    const Groups groups = cluster.devicesByServer();
    for (std::size_t server = 0; server < groups.size(); ++server) {
        const std::vector<int>& devices = groups[server];
        if (devices.size() != groups.front().size()) {
            machines.whyNot = "PipeDream's levels need servers of equal size; '" + servers.front() +
                              "' has " + std::to_string(groups.front().size()) + " devices and '" +
                              servers[server] + "' has " + std::to_string(devices.size());
            return machines;
        }
        machines.devices.insert(machines.devices.end(), devices.begin(), devices.end());
    }
    machines.levels = {
        {static_cast<int>(groups.front().size()), leastInsideBps(costs.interconnect(), groups)},
        {static_cast<int>(groups.size()), leastInsideBps(costs.interconnect(), {machines.devices})}};
    machines.names = {"devices in each server", "servers"};
    return machines;
}

PipeDreamMachines automaticMachines(const CostModel& costs) {
    if (costs.deviceCount() == 1) return flatMachines(costs);
    const Interconnect& network = costs.interconnect();
    PipeDreamMachines machines;
    std::vector<Groups> levels;
    constexpr std::size_t mostNotes = 3;
    std::size_t inside = 1;  // devices in a component of the next level
    const JoinTree tree = network.treeOfAll();
    Groups before;  // at the next higher bandwidth
    for (const double bandwidthBps : network.widths()) {
        const Groups groups = groupsAt(tree, network.deviceCount(), bandwidthBps);
        const bool isNew = groups != std::exchange(before, groups);
        if (!allAlike(groups)) {
            // Groups that are joined further have two devices of that bandwidth; others are looked through.
            if (machines.notes.size() < mostNotes && (isNew || isBetweenTwo(network, groups, bandwidthBps)))
                machines.notes.push_back("At " + formatBandwidth(bandwidthBps) +
                                         " the devices form groups of " + sizesOf(groups) +
                                         ": no level, for PipeDream's levels need groups of equal size.");
            continue;
        }
        const std::size_t size = groups.front().size();
        if (size == inside) continue;
        machines.levels.push_back({static_cast<int>(size / inside), leastInsideBps(network, groups)});
        machines.names.push_back(inside == 1 ? "devices"
                                             : "groups of " + std::to_string(inside) + " devices");
        inside = size;
        levels.push_back(groups);
        if (groups.size() == 1) break;
    }
    machines.devices = lineUp(levels);
    return machines;
}

}  // namespace stagecraft::planners
