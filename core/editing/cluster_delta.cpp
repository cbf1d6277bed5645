#include "core/editing/cluster_delta.h"

#include <algorithm>
#include <unordered_map>

namespace stagecraft::editing {
namespace {

const std::string& keyOf(const Device& device) { return device.id; }
const std::string& keyOf(const Switch& node) { return node.id; }
std::string keyOf(const Link& link) { return link.a + '\0' + link.b; }

/// Marks the entries of `list` from `first` to `last` whose key `other` holds too, each as often as there.
template <class T>
std::vector<bool> alsoIn(const SharedList<T>& list, std::size_t first, std::size_t last,
                         const SharedList<T>& other, std::size_t otherLast) {
    std::unordered_map<std::string, int> count;
    for (std::size_t i = first; i < otherLast; ++i) ++count[keyOf(other[i])];
    std::vector<bool> found(list.size(), true);
    for (std::size_t i = first; i < last; ++i) found[i] = count[keyOf(list[i])]-- > 0;
    return found;
}

template <class T>
ListDelta<T> listDelta(const SharedList<T>& before, const SharedList<T>& after) {
    ListDelta<T> delta;
    const std::size_t first = before.commonBeginning(after);
    if (first == before.size() && first == after.size()) return delta;
    const std::size_t same = before.commonEnd(after, std::min(before.size(), after.size()) - first);
    const std::size_t lastBefore = before.size() - same, lastAfter = after.size() - same;

    const std::vector<bool> stays = alsoIn(before, first, lastBefore, after, lastAfter);
    const std::vector<bool> stayed = alsoIn(after, first, lastAfter, before, lastBefore);
    std::size_t j = first;
    auto kept = static_cast<int>(first);
    const auto insertNew = [&] {
        for (; j < lastAfter && !stayed[j]; ++j) delta.inserted.emplace_back(static_cast<int>(j), after[j]);
    };
    for (std::size_t i = first; i < lastBefore; ++i) {
        if (!stays[i]) {
            delta.removed.emplace_back(static_cast<int>(i), before[i]);
            continue;
        }
        insertNew();
        if (keyOf(before[i]) != keyOf(after[j])) {
            // Another order: exchange all that is between what the two lists share at their ends.
            delta = {};
            for (std::size_t k = first; k < lastBefore; ++k)
                delta.removed.emplace_back(static_cast<int>(k), before[k]);
            for (std::size_t k = first; k < lastAfter; ++k)
                delta.inserted.emplace_back(static_cast<int>(k), after[k]);
            return delta;
        }
        if (!(before[i] == after[j])) delta.changed.push_back({kept, before[i], after[j]});
        ++kept;
        ++j;
    }
    insertNew();
    return delta;
}

template <class T>
using Entries = std::vector<std::pair<int, T>>;

template <class T>
void exchange(SharedList<T>& list, const ListDelta<T>& delta, bool forward) {
    const Entries<T>& out = forward ? delta.removed : delta.inserted;
    const Entries<T>& in = forward ? delta.inserted : delta.removed;
    if (!out.empty()) {
        std::size_t next = 0;
        int from = 0;
        list.eraseIf([&](const T&) {
            const bool isOut = next < out.size() && out[next].first == from;
            next += isOut;
            ++from;
            return isOut;
        });
    }
    for (const auto& change : delta.changed)
        list.set(static_cast<std::size_t>(change.index), forward ? change.after : change.before);
    if (in.empty()) return;
    SharedList<T> merged;
    merged.reserve(list.size() + in.size());
    std::size_t next = 0;
    for (const T& entry : std::as_const(list)) {
        for (; next < in.size() && in[next].first == static_cast<int>(merged.size()); ++next)
            merged.push_back(in[next].second);
        merged.push_back(entry);
    }
    for (; next < in.size(); ++next) merged.push_back(in[next].second);
    list = std::move(merged);
}

std::vector<ClusterDelta::Moved> layoutDelta(const std::map<std::string, Point>& before,
                                             const std::map<std::string, Point>& after) {
    std::vector<ClusterDelta::Moved> moved;
    for (const auto& [id, point] : before) {
        const auto now = after.find(id);
        if (now == after.end())
            moved.push_back({id, point, std::nullopt});
        else if (!(now->second == point))
            moved.push_back({id, point, now->second});
    }
    for (const auto& [id, point] : after)
        if (!before.contains(id)) moved.push_back({id, std::nullopt, point});
    return moved;
}

template <class T>
std::optional<ClusterDelta::Field<T>> fieldDelta(const T& before, const T& after) {
    if (before == after) return std::nullopt;
    return ClusterDelta::Field<T>{before, after};
}

template <class T>
void exchange(T& field, const std::optional<ClusterDelta::Field<T>>& delta, bool forward) {
    if (delta) field = forward ? delta->after : delta->before;
}

void exchange(Cluster& cluster, const ClusterDelta& delta, bool forward) {
    exchange(cluster.devices, delta.devices, forward);
    exchange(cluster.switches, delta.switches, forward);
    exchange(cluster.links, delta.links, forward);
    for (const ClusterDelta::Moved& moved : delta.layout) {
        const std::optional<Point>& to = forward ? moved.after : moved.before;
        if (to)
            cluster.layout[moved.id] = *to;
        else
            cluster.layout.erase(moved.id);
    }
    exchange(cluster.name, delta.name, forward);
    exchange(cluster.source, delta.source, forward);
    exchange(cluster.assumptions, delta.assumptions, forward);
}

}  // namespace

bool ClusterDelta::isEmpty() const {
    return devices.isEmpty() && switches.isEmpty() && links.isEmpty() && layout.empty() && !name && !source &&
           !assumptions;
}

bool ClusterDelta::concernsPlans() const {
    const auto membership = [](const auto& list) { return !list.removed.empty() || !list.inserted.empty(); };
    if (membership(devices) || membership(switches) || membership(links) || !switches.changed.empty())
        return true;
    const auto ofDevice = [](const ListDelta<Device>::Change& change) {
        Device before = change.before;
        before.gpu = change.after.gpu;
        return !(before == change.after);
    };
    const auto ofLink = [](const ListDelta<Link>::Change& change) {
        return change.before.bandwidthBps != change.after.bandwidthBps ||
               change.before.latencyS != change.after.latencyS;
    };
    return std::any_of(devices.changed.begin(), devices.changed.end(), ofDevice) ||
           std::any_of(links.changed.begin(), links.changed.end(), ofLink);
}

void ClusterDelta::apply(Cluster& cluster) const { exchange(cluster, *this, true); }
void ClusterDelta::revert(Cluster& cluster) const { exchange(cluster, *this, false); }

ClusterDelta clusterDelta(const Cluster& before, const Cluster& after) {
    return {listDelta(before.devices, after.devices),
            listDelta(before.switches, after.switches),
            listDelta(before.links, after.links),
            layoutDelta(before.layout, after.layout),
            fieldDelta(before.name, after.name),
            fieldDelta(before.source, after.source),
            fieldDelta(before.assumptions, after.assumptions)};
}

std::vector<int> followDevices(const std::vector<std::string>& before,
                               const std::vector<std::string>& after) {
    std::unordered_map<std::string, std::vector<int>> places;  // last first
    for (std::size_t i = after.size(); i-- > 0;) places[after[i]].push_back(static_cast<int>(i));
    std::vector<int> to;
    for (const std::string& id : before) {
        std::vector<int>& free = places[id];
        to.push_back(free.empty() ? -1 : free.back());
        if (!free.empty()) free.pop_back();
    }
    // Names alone were changed.
    if (before.size() == after.size() && std::find(to.begin(), to.end(), -1) != to.end())
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<int>(i);
    return to;
}

std::vector<std::string> deviceIds(const Cluster& cluster) {
    std::vector<std::string> ids;
    ids.reserve(cluster.devices.size());
    for (const Device& device : cluster.devices) ids.push_back(device.id);
    return ids;
}

}  // namespace stagecraft::editing
