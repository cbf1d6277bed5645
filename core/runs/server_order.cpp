#include "core/runs/server_order.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/runs/device_list.h"

#include <algorithm>

namespace stagecraft::runs {

namespace {

/// Boundaries between neighbouring stages of which some devices are on different servers.
int crossings(const Cluster& cluster, const Plan& plan, const std::vector<int>& deviceAt) {
    const auto crosses = [&](const Stage& a, const Stage& b) {
        return std::any_of(a.devices.begin(), a.devices.end(), [&](int one) {
            return std::any_of(b.devices.begin(), b.devices.end(), [&](int other) {
                return cluster.devices[at(deviceAt[at(one)])].server !=
                       cluster.devices[at(deviceAt[at(other)])].server;
            });
        });
    };
    int count = 0;
    for (std::size_t next = 1; next < plan.stages.size(); ++next)
        if (plan.stages[next].pipeline == plan.stages[next - 1].pipeline &&
            crosses(plan.stages[next - 1], plan.stages[next]))
            ++count;
    return count;
}

}  // namespace

std::vector<int> devicesByServer(const Cluster& cluster) {
    std::vector<int> devices = devicesAsNumbered(cluster.deviceCount());
    std::map<std::string, int> first;
    for (const int device : devices) first.emplace(cluster.devices[at(device)].server, device);
    std::stable_sort(devices.begin(), devices.end(), [&](int a, int b) {
        return first.at(cluster.devices[at(a)].server) < first.at(cluster.devices[at(b)].server);
    });
    return devices;
}

std::string serverOrderNote(const Cluster& cluster, const Plan& plan) {
    const std::vector<int> order = devicesByServer(cluster);
    std::vector<int> asListed(order.size());  // the device that would be taken in the place of this one
    for (int place = 0; place < cluster.deviceCount(); ++place) asListed[at(order[at(place)])] = place;
    const int own = crossings(cluster, plan, devicesAsNumbered(cluster.deviceCount()));
    const int listed = crossings(cluster, plan, asListed);
    if (own == listed) return {};
    return "Devices are taken server by server, not in the order of the list: " +
           counted(own, "boundary", "boundaries") + " between stages " + (own == 1 ? "crosses" : "cross") +
           " servers instead of " + std::to_string(listed) + ".";
}

}  // namespace stagecraft::runs
