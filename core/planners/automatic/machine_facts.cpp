#include "core/planners/automatic/machine_facts.h"

#include "core/base/indices.h"
#include "core/model/prices.h"
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

/// What tells devices apart: speed, memory, the type of which times were measured, and a price.
using DeviceKind = std::tuple<double, double, int, double>;

void addOrder(std::vector<int> next, std::vector<std::vector<int>>& orders) {
    if (std::ranges::find(orders, next) == orders.end()) orders.push_back(std::move(next));
}

/// Adds those in which devices of a kind are together.
void addOrders(const std::vector<DeviceKind>& ofDevices, const std::vector<int>& order,
               std::vector<std::vector<int>>& orders) {
    const std::set<DeviceKind, std::greater<>> all(ofDevices.begin(), ofDevices.end());
    if (all.size() < 2) return;
    std::vector<std::size_t> kindOf, kinds(all.size());
    for (const DeviceKind& own : ofDevices)
        kindOf.push_back(static_cast<std::size_t>(std::distance(all.begin(), all.find(own))));
    std::iota(kinds.begin(), kinds.end(), 0);
    const auto add = [&] { addOrder(byKind(order, kindOf, kinds), orders); };
    if (kinds.size() > fewKinds) {
        add();
        std::ranges::reverse(kinds);
        add();
        return;
    }
    do add();
    while (std::ranges::next_permutation(kinds).found);
}

std::vector<DeviceKind> kindsOfDevices(const Problem& problem) {
    std::vector<DeviceKind> ofDevices;
    const std::shared_ptr<const KindSums> measured = KindSums::of(problem.profile, problem.cluster);
    for (int device = 0; device < problem.cluster.deviceCount(); ++device) {
        const int kind = measured ? measured->kindOf(device) : 0;
        ofDevices.emplace_back(kind > 0 ? measured->speed(kind) : problem.cluster.devices[at(device)].speed,
                               problem.memoryLimitBytes(device), kind, 0);
    }
    return ofDevices;
}

/// Adds those of kinds that differ in their prices too, if any do.
void addPricedOrders(const Problem& problem, std::vector<DeviceKind> ofDevices, const std::vector<int>& order,
                     std::vector<std::vector<int>>& orders) {
    std::set<double> prices;
    for (std::size_t device = 0; device < ofDevices.size(); ++device)
        prices.insert(std::get<3>(ofDevices[device]) = pricePerHour(problem, static_cast<int>(device)));
    if (prices.size() < 2 || !hasPrices(problem)) return;
    addOrders(ofDevices, order, orders);
    for (const bool isOfWork : {false, true}) {
        std::vector<int> next = order;
        std::ranges::stable_sort(next, {}, [&](int device) {
            const auto& [speed, memory, kind, price] = ofDevices[at(device)];
            return isOfWork ? price / speed : price;
        });
        addOrder(std::move(next), orders);
    }
}

}  // namespace

MachineFacts::MachineFacts(const Problem& problem) : order(devicesByServer(problem.cluster)), orders{order} {
    const std::vector<DeviceKind> kinds = kindsOfDevices(problem);
    addOrders(kinds, order, orders);
    ordersForTime = orders.size();
    addPricedOrders(problem, kinds, order, orders);
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
