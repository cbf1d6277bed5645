#include "core/cost/server_exits.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace stagecraft::cost {

ServerExits::ServerExits(const Cluster& cluster) : leastBetweenBps_(std::numeric_limits<double>::infinity()) {
    std::unordered_map<std::string_view, int> numberOf;
    std::unordered_map<std::string_view, int> serverOfNode, outside;  // by id
    serverOfNode.reserve(cluster.devices.size() + cluster.switches.size());
    for (const Device& device : cluster.devices) {
        int server = -1;
        if (!device.server.empty()) {
            server = numberOf.try_emplace(device.server, static_cast<int>(numberOf.size())).first->second;
            servers_.resize(numberOf.size());
            ++servers_[static_cast<std::size_t>(server)].devices;
        }
        serverOf_.push_back(server);
        serverOfNode.emplace(device.id, server);
    }
    for (const Switch& joint : cluster.switches) {
        const auto server = numberOf.find(joint.server);
        if (server != numberOf.end())
            serverOfNode.emplace(joint.id, server->second);
        else if (joint.server.empty())
            outside.emplace(joint.id, static_cast<int>(outside.size()));
    }
    for (const Link& link : cluster.links) {
        if (!(link.bandwidthBps > 0)) continue;
        const auto a = outside.find(link.a), b = outside.find(link.b);
        if (a != outside.end() && b != outside.end())
            leastBetweenBps_ = std::min(leastBetweenBps_, link.bandwidthBps);
        if ((a != outside.end()) == (b != outside.end())) continue;
        const auto inner = serverOfNode.find(a == outside.end() ? link.a : link.b);
        if (inner == serverOfNode.end() || inner->second < 0) continue;
        Server& server = servers_[static_cast<std::size_t>(inner->second)];
        server.exitBps += link.bandwidthBps;
        server.switches.push_back(a == outside.end() ? b->second : a->second);
    }
    for (Server& server : servers_) {
        std::ranges::sort(server.switches);
        server.switches.erase(std::unique(server.switches.begin(), server.switches.end()),
                              server.switches.end());
    }
}

std::vector<std::pair<int, int>> ServerExits::countsOf(const std::vector<int>& devices) const {
    std::vector<int> servers;
    servers.reserve(devices.size());
    for (const int device : devices) servers.push_back(serverOf(device));
    std::ranges::sort(servers);
    std::vector<std::pair<int, int>> counts;
    for (const int server : servers) {
        if (counts.empty() || counts.back().first != server) counts.emplace_back(server, 0);
        ++counts.back().second;
    }
    return counts;
}

bool ServerExits::mayHaveSeveralRings(const std::vector<int>& devices) const {
    if (servers_.size() < 2 || devices.size() < 4) return false;
    const auto counts = countsOf(devices);
    return counts.size() > 1 && counts.front().first >= 0 &&
           std::ranges::all_of(counts, [](const auto& each) { return each.second > 1; });
}

double ServerExits::ringsBps(const std::vector<int>& devices, double oneBps, double insideBps) const {
    double all = insideBps;
    const Server* first = nullptr;
    for (const auto& [number, count] : countsOf(devices)) {
        const Server& server = servers_[static_cast<std::size_t>(number)];
        all = std::min(all, count * std::min(oneBps, server.exitBps / server.devices));
        if (first && first->switches != server.switches) all = std::min(all, leastBetweenBps_);
        first = &server;
    }
    return std::max(all, oneBps);
}

}  // namespace stagecraft::cost
