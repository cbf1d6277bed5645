#include "core/cost/collective_hops.h"

#include <algorithm>
#include <cstddef>

namespace stagecraft::cost {

namespace {

using RankOrder = std::vector<int>;

/// By server in the order of its first rank; in each of the orders every server begins with another rank.
std::vector<RankOrder> ordersByCard(const std::vector<int>& ranks, const ServerExits& exits) {
    std::vector<std::vector<int>> servers;
    for (const int rank : ranks) {
        const auto same = std::ranges::find_if(servers, [&](const std::vector<int>& server) {
            return exits.serverOf(server.front()) == exits.serverOf(rank);
        });
        if (same == servers.end())
            servers.push_back({rank});
        else
            same->push_back(rank);
    }
    std::size_t fewest = ranks.size();
    for (const std::vector<int>& server : servers) fewest = std::min(fewest, server.size());
    std::vector<RankOrder> orders(fewest);
    for (std::size_t order = 0; order < fewest; ++order)
        for (const std::vector<int>& server : servers)
            for (std::size_t place = 0; place < server.size(); ++place)
                orders[order].push_back(server[(place + order) % server.size()]);
    return orders;
}

/// Above it in a tree in which all odd places are leaves; -1: it is the root. A place with b as its lowest
/// bit is b away from that above it.
int placeAbove(int place, int count) {
    if (place == 0) return -1;
    const int lowest = place & -place, above = (place ^ lowest) | (lowest << 1);
    return above < count ? above : place ^ lowest;
}

/// Half of a tensor of so many bytes up one tree and down again, and half up and down the other: that of the
/// places counted from the end, or one on where their number is odd.
void addTrees(const RankOrder& order, double tensorBytes, std::vector<RankHop>& hops) {
    const int count = static_cast<int>(order.size());
    for (const bool second : {false, true})
        for (int place = 1; place < count; ++place) {
            const auto rankAt = [&](int at) {
                const int turned = count % 2 == 0 ? count - 1 - at : (at + 1) % count;
                return order[static_cast<std::size_t>(second ? turned : at)];
            };
            const int below = rankAt(place), above = rankAt(placeAbove(place, count));
            hops.push_back({below, above, tensorBytes / 2});
            hops.push_back({above, below, tensorBytes / 2});
        }
}

void addRing(const RankOrder& order, double bytes, std::vector<RankHop>& hops) {
    for (std::size_t place = 0; place < order.size(); ++place)
        hops.push_back({order[place], order[(place + 1) % order.size()], bytes});
}

/// Nothing where others of the same collective have such rings, and these ranks have none that are faster
/// than the way between any two. @returns whether there are
bool addLaidRings(const std::vector<int>& ranks, const Interconnect& net, double bytes,
                  std::vector<RankHop>& hops) {
    if (!(net.laidBps(ranks, net.minBandwidthBps(ranks, ranks)) > 0)) return false;
    const RingPacking packing = net.laidRings(ranks);
    const auto add = [&](int from, int to, double each) {
        const std::vector<LinkRings::Wire> wires = net.wires(from, to);
        double allBps = 0;
        for (const LinkRings::Wire& wire : wires) allBps += wire.bps;
        for (const LinkRings::Wire& wire : wires)
            hops.push_back({from, to, each * wire.bps / allBps, wire.way});
    };
    for (const LaidRing& ring : packing.rings) {
        const double each = bytes * ring.bps / packing.bps();  // in either direction
        for (std::size_t place = 0; place < ring.order.size(); ++place) {
            const auto rankAt = [&](std::size_t at) {
                return ranks[static_cast<std::size_t>(ring.order[at % ring.order.size()])];
            };
            add(rankAt(place), rankAt(place + 1), each);
            add(rankAt(place + 1), rankAt(place), each);
        }
    }
    return true;
}

}  // namespace

std::vector<RankHop> collectiveHops(CollectiveAlgorithm algorithm, const std::vector<int>& ranks,
                                    const Interconnect& net, bool severalRings, double bytes) {
    std::vector<RankHop> hops;
    // Differences of sums leave what is below 0.
    if (ranks.size() < 2 || !(bytes > 0)) return hops;
    if (algorithm == CollectiveAlgorithm::eachToEach) {
        for (const int from : ranks)
            for (const int to : ranks)
                if (from != to) hops.push_back({from, to, bytes / (static_cast<double>(ranks.size()) - 1)});
        return hops;
    }
    if (algorithm == CollectiveAlgorithm::laidRings && addLaidRings(ranks, net, bytes, hops)) return hops;
    const bool isTree = algorithm == CollectiveAlgorithm::tree;
    if (!severalRings || algorithm == CollectiveAlgorithm::inSwitch) {
        if (isTree)
            addTrees(ranks, bytes / 2, hops);
        else
            addRing(ranks, bytes, hops);
        return hops;
    }
    const std::vector<RankOrder> orders = ordersByCard(ranks, net.exits());
    for (const RankOrder& order : orders) {
        const double each = bytes / static_cast<double>(orders.size());
        if (isTree)
            addTrees(order, each / 2, hops);
        else
            addRing(order, each, hops);
    }
    return hops;
}

}  // namespace stagecraft::cost
