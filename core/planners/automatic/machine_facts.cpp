#include "core/planners/automatic/machine_facts.h"

#include "core/base/indices.h"
#include "core/runs/server_order.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace stagecraft::planners {

namespace {

constexpr std::size_t fewKinds = 3;

/// Devices by their kinds in the order of `kinds`, those of a kind as they are in `order`.
std::vector<int> byKind(std::vector<int> order, const std::vector<std::size_t>& kindOf,
                        const std::vector<std::size_t>& kinds) {
    std::ranges::stable_sort(
        order, {}, [&](int device) { return std::ranges::find(kinds, kindOf[at(device)]) - kinds.begin(); });
    return order;
}

std::vector<std::vector<int>> ordersOf(const Problem& problem, const std::vector<int>& order) {
    using Kind = std::tuple<double, double, int>;
    std::vector<Kind> ofDevices;
    const std::shared_ptr<const KindSums> measured = KindSums::of(problem.profile, problem.cluster);
    for (int device = 0; device < problem.cluster.deviceCount(); ++device) {
        const int kind = measured ? measured->kindOf(device) : 0;
        ofDevices.emplace_back(kind > 0 ? measured->speed(kind) : problem.cluster.devices[at(device)].speed,
                               problem.memoryLimitBytes(device), kind);
    }
    const std::set<Kind, std::greater<>> all(ofDevices.begin(), ofDevices.end());
    std::vector<std::vector<int>> orders{order};
    if (all.size() < 2) return orders;
    std::vector<std::size_t> kindOf, kinds(all.size());
    for (const Kind& own : ofDevices)
        kindOf.push_back(static_cast<std::size_t>(std::distance(all.begin(), all.find(own))));
    std::iota(kinds.begin(), kinds.end(), 0);
    const auto add = [&] {
        std::vector<int> next = byKind(order, kindOf, kinds);
        if (std::ranges::find(orders, next) == orders.end()) orders.push_back(std::move(next));
    };
    if (kinds.size() > fewKinds) {
        add();
        std::ranges::reverse(kinds);
        add();
        return orders;
    }
    do add();
    while (std::ranges::next_permutation(kinds).found);
    return orders;
}

}  // namespace

MachineFacts::MachineFacts(const Problem& problem)
    : order(devicesByServer(problem.cluster)), orders(ordersOf(problem, order)) {
    const Cluster& cluster = problem.cluster;
    std::unordered_map<std::string, const std::string*> serverOf;
    std::unordered_map<std::string, int> sizes;
    for (int index = 0; index < cluster.deviceCount(); ++index) {
        const Device& device = cluster.devices[at(index)];
        serverOf[device.id] = &device.server;
        largestServer = std::max(largestServer, ++sizes[device.server]);
        roomiestBytes =
            std::max(roomiestBytes, problem.memoryLimitBytes(index) - problem.setup.reservedBytes);
    }
    const std::size_t devices = serverOf.size();
    std::unordered_map<std::string, const std::string*> all = serverOf;
    for (const Switch& joint : cluster.switches) {
        all[joint.id] = &joint.server;
        anySwitchSums = anySwitchSums || joint.sums;
    }
    std::unordered_map<std::string, double> laidBps;  // by device
    for (const Link& link : cluster.links) {
        if (serverOf.contains(link.a) || serverOf.contains(link.b))
            widestBps = std::max(widestBps, link.bandwidthBps);
        const auto a = all.find(link.a), b = all.find(link.b);
        const bool leaves = a == all.end() || b == all.end() || *a->second != *b->second;
        if (leaves) widestAcrossBps = std::max(widestAcrossBps, link.bandwidthBps);
        if (!leaves && serverOf.contains(link.a) && serverOf.contains(link.b))
            for (const std::string& end : {link.a, link.b})
                mostLaidBps = std::max(mostLaidBps, laidBps[end] += link.bandwidthBps);
    }
    if (widestAcrossBps <= 0 || sizes.size() < 2 || devices < 2) widestAcrossBps = widestBps;
}

}  // namespace stagecraft::planners
