#include "core/editing/cluster_rebase.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace stagecraft::editing {

namespace {

/// The edit wins over the new value, and the new value over the old.
template <class T>
void merge(const T& before, T& edited, const T& after) {
    if (edited == before) edited = after;
}

void mergeFields(const Device& before, Device& edited, const Device& after) {
    merge(before.server, edited.server, after.server);
    merge(before.gpu, edited.gpu, after.gpu);
    merge(before.memoryBytes, edited.memoryBytes, after.memoryBytes);
    merge(before.speed, edited.speed, after.speed);
    merge(before.hostBandwidthBps, edited.hostBandwidthBps, after.hostBandwidthBps);
    merge(before.pricePerHour, edited.pricePerHour, after.pricePerHour);
}

void mergeFields(const Switch& before, Switch& edited, const Switch& after) {
    merge(before.server, edited.server, after.server);
    merge(before.sums, edited.sums, after.sums);
}

void mergeFields(const Link& before, Link& edited, const Link& after) {
    // Where a bandwidth comes from belongs to the bandwidth.
    if (edited.bandwidthBps == before.bandwidthBps && edited.source == before.source) {
        edited.bandwidthBps = after.bandwidthBps;
        edited.source = after.source;
    } else if (edited.derivedBps == before.bandwidthBps && edited.derivedSource == before.source) {
        // It was measured since: what stands beside the measurement follows.
        edited.derivedBps = after.bandwidthBps;
        edited.derivedSource = after.source;
    }
    merge(before.latencyS, edited.latencyS, after.latencyS);
}

using Key = std::tuple<std::string, std::string, std::string, int>;

std::vector<Key> keysOf(const DeviceList& devices) {
    std::vector<Key> keys;
    for (const Device& device : devices) keys.emplace_back(device.id, "", "", 0);
    return keys;
}
std::vector<Key> keysOf(const SwitchList& switches) {
    std::vector<Key> keys;
    for (const Switch& node : switches) keys.emplace_back(node.id, "", "", 0);
    return keys;
}
std::vector<Key> keysOf(const LinkList& links) {
    std::vector<Key> keys;
    std::map<Key, int> seen;
    for (const Link& link : links) {
        Key key{std::min(link.a, link.b), std::max(link.a, link.b), link.kind, 0};
        std::get<int>(key) = seen[key]++;
        keys.push_back(std::move(key));
    }
    return keys;
}

template <class T>
std::map<Key, const T*> byKey(const SharedList<T>& things) {
    const std::vector<Key> keys = keysOf(things);
    std::map<Key, const T*> found;
    for (std::size_t i = 0; i < things.size(); ++i) found.emplace(keys[i], &things[i]);
    return found;
}

/// In the order of `edited`, then what is new.
template <class T>
SharedList<T> rebasedList(const SharedList<T>& before, const SharedList<T>& edited,
                          const SharedList<T>& after) {
    if (edited == before) return after;
    const auto old = byKey(before), now = byKey(after), present = byKey(edited);
    const std::vector<Key> editedKeys = keysOf(edited), afterKeys = keysOf(after);
    SharedList<T> result;
    for (std::size_t i = 0; i < edited.size(); ++i) {
        const auto was = old.find(editedKeys[i]), is = now.find(editedKeys[i]);
        if (was != old.end() && is == now.end()) continue;
        result.push_back(edited[i]);
        if (was != old.end()) mergeFields(*was->second, result.back(), *is->second);
    }
    for (std::size_t i = 0; i < after.size(); ++i)
        if (!old.contains(afterKeys[i]) && !present.contains(afterKeys[i])) result.push_back(after[i]);
    return result;
}

}  // namespace

Cluster rebased(const Cluster& before, const Cluster& edited, const Cluster& after) {
    Cluster result = edited;
    merge(before.name, result.name, after.name);
    merge(before.source, result.source, after.source);
    merge(before.assumptions, result.assumptions, after.assumptions);
    result.devices = rebasedList(before.devices, edited.devices, after.devices);
    result.switches = rebasedList(before.switches, edited.switches, after.switches);
    result.links = rebasedList(before.links, edited.links, after.links);
    std::unordered_set<std::string> ids;
    for (const Device& device : std::as_const(result.devices)) ids.insert(device.id);
    for (const Switch& node : std::as_const(result.switches)) ids.insert(node.id);
    result.links.eraseIf([&](const Link& link) { return !ids.contains(link.a) || !ids.contains(link.b); });
    std::erase_if(result.layout, [&](const auto& place) { return !ids.contains(place.first); });
    return result;
}

}  // namespace stagecraft::editing
