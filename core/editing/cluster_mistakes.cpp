#include "core/editing/cluster_mistakes.h"

#include "core/base/number_range.h"
#include "core/base/units.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

namespace stagecraft::editing {
namespace {

using MistakeKind = ClusterMistake::Kind;
using Place = ClusterMistake::Place;

bool hasFineNumbers(const Device& device) { return isRate(device.speed) && isAmount(device.memoryBytes); }
bool hasFineNumbers(const Link& link) { return isRate(link.bandwidthBps) && isAmount(link.latencyS); }

class MistakeSearch {
public:
    explicit MistakeSearch(const Cluster& cluster)
        : cluster_(cluster), parent_(cluster.devices.size() + cluster.switches.size()) {
        std::iota(parent_.begin(), parent_.end(), std::size_t{0});
        nodes_.reserve(parent_.size());
    }

    std::vector<ClusterMistake> run() {
        for (std::size_t i = 0; i < cluster_.devices.size(); ++i) checkDevice(i);
        for (std::size_t i = 0; i < cluster_.switches.size(); ++i)
            checkId(cluster_.switches[i].id, cluster_.devices.size() + i, Place::switchNode, i);
        for (std::size_t i = 0; i < cluster_.links.size(); ++i) checkLink(i);
        checkParts();
        return std::move(found_);
    }

private:
    void add(MistakeKind kind, Place place, std::size_t index, std::string text) {
        found_.push_back({kind, place, static_cast<int>(index), std::move(text)});
    }

    void checkId(const std::string& id, std::size_t node, Place place, std::size_t index) {
        if (!nodes_.emplace(id, node).second)
            add(MistakeKind::sharedId, place, index,
                "the id '" + id + "' is taken already; each device and switch needs a unique id");
    }

    void checkDevice(std::size_t index) {
        const Device& device = cluster_.devices[index];
        checkId(device.id, index, Place::device, index);
        if (!hasFineNumbers(device))
            add(MistakeKind::number, Place::device, index,
                "device '" + device.id + "' needs a positive speed and a memory size");
    }

    void checkLink(std::size_t index) {
        const Link& link = cluster_.links[index];
        const auto ends = [&link] { return "the link between '" + link.a + "' and '" + link.b + "'"; };
        const auto a = nodes_.find(link.a), b = nodes_.find(link.b);
        if (a == nodes_.end() || b == nodes_.end()) {
            add(MistakeKind::looseEnd, Place::link, index,
                ends() + " ends at '" + (a == nodes_.end() ? link.a : link.b) + "', which does not exist");
            return;
        }
        if (a->second == b->second)
            add(MistakeKind::selfLink, Place::link, index,
                "the link joins '" + link.a + "' to itself; it needs two different ends");
        const bool carries = isRate(link.bandwidthBps);
        if (!carries)
            add(MistakeKind::bandwidth, Place::link, index,
                ends() + " needs a positive bandwidth" +
                    (link.bandwidthBps > 0
                         ? ", from " + formatNumber(leastRate) + " to " + formatNumber(largestAmount) + " B/s"
                         : ""));
        if (!isAmount(link.latencyS))
            add(MistakeKind::number, Place::link, index, ends() + " needs a latency of 0 or more");
        if (carries) parent_[root(a->second)] = root(b->second);
    }

    std::size_t root(std::size_t node) {
        while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
        return node;
    }

    /// One row a part that is apart from the largest one, which is the first of the largest.
    void checkParts() {
        std::unordered_map<std::size_t, int> sizes;
        for (std::size_t i = 0; i < cluster_.devices.size(); ++i) ++sizes[root(i)];
        if (sizes.size() < 2) return;
        std::size_t main = 0;
        for (std::size_t i = 0; i < cluster_.devices.size(); ++i)
            if (sizes[root(i)] > sizes[root(main)]) main = i;
        const std::string& reference = cluster_.devices[main].id;
        const std::size_t mainRoot = root(main);
        for (std::size_t i = 0; i < cluster_.devices.size(); ++i) {
            int& size = sizes[root(i)];
            if (root(i) == mainRoot || size == 0) continue;
            const std::string others =
                size == 1 ? "" : " and " + std::to_string(size - 1) + (size == 2 ? " other" : " others");
            add(MistakeKind::unreachable, Place::device, i,
                "the cluster is not connected: there is no path from '" + reference + "' to '" +
                    cluster_.devices[i].id + "'" + others);
            size = 0;
        }
    }

    const Cluster& cluster_;
    std::unordered_map<std::string_view, std::size_t> nodes_;  // the first of each id
    std::vector<std::size_t> parent_;
    std::vector<ClusterMistake> found_;
};

}  // namespace

std::vector<ClusterMistake> clusterMistakes(const Cluster& cluster) { return MistakeSearch(cluster).run(); }

bool areJoinedAlike(const Cluster& one, const Cluster& other) {
    const auto sameId = [](const auto& a, const auto& b) { return a.id == b.id; };
    return one.devices.isAlike(other.devices, sameId) && one.switches.isAlike(other.switches, sameId) &&
           one.links.isAlike(other.links,
                             [](const Link& a, const Link& b) { return a.a == b.a && a.b == b.b; });
}

bool isStillWithoutMistakes(const Cluster& cluster, const Cluster& before) {
    const auto fine = [](const auto& each, const auto&) { return hasFineNumbers(each); };
    return areJoinedAlike(cluster, before) && cluster.devices.isAlike(before.devices, fine) &&
           cluster.links.isAlike(before.links, fine);
}

}  // namespace stagecraft::editing
