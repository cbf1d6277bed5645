#include "core/editing/cluster_edit.h"

#include "core/base/indices.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace stagecraft::editing {
namespace {

std::unordered_set<std::string> idsOf(const Cluster& cluster, const ClusterPart& part) {
    std::unordered_set<std::string> ids;
    for (const int device : part.devices) ids.insert(cluster.devices[at(device)].id);
    for (const int index : part.switches) ids.insert(cluster.switches[at(index)].id);
    return ids;
}

template <class T>
void eraseIndices(SharedList<T>& list, const std::vector<int>& indices) {
    std::size_t next = 0;
    int at = 0;
    list.eraseIf([&](const T&) {
        const bool isOut = next < indices.size() && indices[next] == at;
        next += isOut;
        ++at;
        return isOut;
    });
}

/// Copies of devices and switches under names of their own, and what became of each id.
class Copier {
public:
    /// @param into the servers of `cluster` that take what is in some of the other's
    Copier(Cluster& cluster, FreshNames& names, Point by, std::unordered_map<std::string, std::string> into)
        : cluster_(cluster), names_(names), by_(by), servers_(std::move(into)) {}

    void add(const Cluster& other, ClusterPart& added) {
        for (const Device& device : other.devices) {
            Device copy = device;
            copy.server = serverFor(device.server);
            copy.id = idFor(device.id, device.server, copy.server);
            place(other, device.id, copy.id);
            added.devices.push_back(cluster_.deviceCount());
            cluster_.devices.push_back(std::move(copy));
        }
        for (const Switch& node : other.switches) {
            const std::string server = node.server.empty() ? "" : serverFor(node.server);
            const std::string id = idFor(node.id, node.server, server);
            place(other, node.id, id);
            added.switches.push_back(static_cast<int>(cluster_.switches.size()));
            cluster_.switches.push_back({id, server});
        }
        for (const Link& link : other.links) addLink(link, added);
    }

    /// An end that was not copied stays the end.
    void addLink(const Link& link, ClusterPart& added) {
        Link copy = link;
        for (std::string* end : {&copy.a, &copy.b})
            if (const auto now = ids_.find(*end); now != ids_.end()) *end = now->second;
        added.links.push_back(static_cast<int>(cluster_.links.size()));
        cluster_.links.push_back(std::move(copy));
    }

private:
    std::string serverFor(const std::string& server) {
        const auto [entry, added] = servers_.try_emplace(server);
        if (added) entry->second = names_.server();
        return entry->second;
    }

    /// "s3g1" for "s0g1" if server s0 becomes s3. The first of an id is the one that links mean.
    std::string idFor(const std::string& id, const std::string& server, const std::string& newServer) {
        std::string wanted = id;
        if (!server.empty() && id.starts_with(server)) wanted = newServer + id.substr(server.size());
        std::string fresh = names_.like(wanted);
        ids_.try_emplace(id, fresh);
        return fresh;
    }

    void place(const Cluster& other, const std::string& from, const std::string& to) {
        const auto place = other.layout.find(from);
        if (place != other.layout.end())
            cluster_.layout[to] = {place->second.x + by_.x, place->second.y + by_.y};
    }

    Cluster& cluster_;
    FreshNames& names_;
    Point by_;
    std::unordered_map<std::string, std::string> servers_;
    std::unordered_map<std::string, std::string> ids_ = {};
};

}  // namespace

FreshNames::FreshNames(const Cluster& cluster) {
    for (const Device& device : cluster.devices) {
        ids_.insert(device.id);
        servers_.insert(device.server);
    }
    for (const Switch& node : cluster.switches) {
        ids_.insert(node.id);
        servers_.insert(node.server);
    }
}

std::string FreshNames::numbered(const std::string& stem) {
    for (int number = 0;; ++number)
        if (std::string id = stem + std::to_string(number); ids_.insert(id).second) return id;
}

std::string FreshNames::like(const std::string& wanted) {
    if (ids_.insert(wanted).second) return wanted;
    const std::size_t digits = wanted.find_last_not_of("0123456789") + 1;
    return numbered(digits == 0 ? wanted + "-" : wanted.substr(0, digits));
}

std::string FreshNames::server() {
    for (int number = 0;; ++number)
        if (std::string name = "s" + std::to_string(number); servers_.insert(name).second) return name;
}

std::vector<std::string> serverNames(const Cluster& cluster) {
    std::vector<std::string> names;
    std::unordered_set<std::string> known;
    for (const Device& device : cluster.devices)
        if (known.insert(device.server).second) names.push_back(device.server);
    for (const Switch& node : cluster.switches)
        if (!node.server.empty() && known.insert(node.server).second) names.push_back(node.server);
    return names;
}

ClusterPart serverPart(const Cluster& cluster, const std::string& server) {
    ClusterPart part;
    for (int i = 0; i < cluster.deviceCount(); ++i)
        if (cluster.devices[at(i)].server == server) part.devices.push_back(i);
    for (int i = 0; i < static_cast<int>(cluster.switches.size()); ++i)
        if (cluster.switches[at(i)].server == server) part.switches.push_back(i);
    return part;
}

int addDevice(Cluster& cluster, Device like, const std::string& server, Point place) {
    FreshNames names(cluster);
    like.server = server.empty() ? names.server() : server;
    like.id = names.numbered(like.server + "g");
    cluster.layout[like.id] = place;
    cluster.devices.push_back(std::move(like));
    return cluster.deviceCount() - 1;
}

int addSwitch(Cluster& cluster, const std::string& stem, const std::string& server, Point place) {
    const std::string id = FreshNames(cluster).numbered(server + stem);
    cluster.layout[id] = place;
    cluster.switches.push_back({id, server});
    return static_cast<int>(cluster.switches.size()) - 1;
}

void removePart(Cluster& cluster, const ClusterPart& part) {
    std::unordered_set<std::string> gone = idsOf(cluster, part);
    std::vector<int> links = part.links;
    eraseIndices(cluster.devices, part.devices);
    eraseIndices(cluster.switches, part.switches);
    // What shares its id with something that stays keeps the links: they mean either.
    if (!gone.empty()) {
        for (const Device& device : std::as_const(cluster.devices)) gone.erase(device.id);
        for (const Switch& node : std::as_const(cluster.switches)) gone.erase(node.id);
    }
    for (const std::string& id : gone) cluster.layout.erase(id);
    if (!gone.empty()) {
        for (std::size_t i = 0; i < cluster.links.size(); ++i)
            if (gone.contains(cluster.links[i].a) || gone.contains(cluster.links[i].b))
                links.push_back(static_cast<int>(i));
        std::sort(links.begin(), links.end());
        links.erase(std::unique(links.begin(), links.end()), links.end());
    }
    eraseIndices(cluster.links, links);
}

Cluster extractPart(const Cluster& cluster, const ClusterPart& part) {
    Cluster fragment;
    const std::unordered_set<std::string> ids = idsOf(cluster, part);
    for (const int device : part.devices) fragment.devices.push_back(cluster.devices[at(device)]);
    for (const int index : part.switches) fragment.switches.push_back(cluster.switches[at(index)]);
    for (const Link& link : cluster.links)
        if (ids.contains(link.a) && ids.contains(link.b)) fragment.links.push_back(link);
    for (const std::string& id : ids)
        if (const auto place = cluster.layout.find(id); place != cluster.layout.end())
            fragment.layout.insert(*place);
    return fragment;
}

ClusterPart insertCluster(Cluster& cluster, const Cluster& other, Point by,
                          const std::unordered_map<std::string, std::string>& into) {
    FreshNames names(cluster);
    ClusterPart added;
    Copier(cluster, names, by, into).add(other, added);
    return added;
}

ClusterPart duplicatePart(Cluster& cluster, const ClusterPart& part, const std::vector<Point>& offsets) {
    const Cluster fragment = extractPart(cluster, part);
    const std::unordered_set<std::string> inside = idsOf(cluster, part);
    std::vector<Link> leadOut;
    for (const Link& link : cluster.links)
        if (inside.contains(link.a) != inside.contains(link.b)) leadOut.push_back(link);
    FreshNames names(cluster);
    std::unordered_map<std::string, std::string> stay;
    for (const std::string& server : serverNames(fragment))
        if (const ClusterPart whole = serverPart(cluster, server), own = serverPart(fragment, server);
            whole.size() != own.size())
            stay.emplace(server, server);
    ClusterPart added;
    for (const Point& by : offsets) {
        Copier copier(cluster, names, by, stay);
        copier.add(fragment, added);
        for (const Link& link : leadOut) copier.addLink(link, added);
    }
    return added;
}

void movePart(Cluster& cluster, const ClusterPart& part, Point by) {
    for (const std::string& id : idsOf(cluster, part)) {
        const auto place = cluster.layout.find(id);
        if (place == cluster.layout.end()) continue;
        place->second.x += by.x;
        place->second.y += by.y;
    }
}

namespace {

/// Moves things to other servers. An id that begins with the name of the old server begins with that of the
/// new one after it: "s0nic0" for "s1nic0", by which a drawing knows a network card.
class ServerMover {
public:
    explicit ServerMover(Cluster& cluster) : cluster_(cluster), names_(cluster) {
        for (const Device& device : cluster.devices) ++uses_[device.id];
        for (const Switch& node : cluster.switches) ++uses_[node.id];
    }

    void moveDevice(int index, const std::string& server) {
        Device& device = cluster_.devices[at(index)];
        move(device.id, device.server, server);
    }
    /// Switches of the network stay where they are.
    void moveSwitch(int index, const std::string& server) {
        Switch& node = cluster_.switches[at(index)];
        if (!node.server.empty()) move(node.id, node.server, server);
    }
    std::string freshServer() { return names_.server(); }

    /// Links and places follow.
    void finish() {
        if (ids_.empty()) return;
        for (Link& link : cluster_.links)
            for (std::string* end : {&link.a, &link.b})
                if (const auto now = ids_.find(*end); now != ids_.end()) *end = now->second;
        for (const auto& [before, now] : ids_)
            if (auto place = cluster_.layout.extract(before)) {
                place.key() = now;
                cluster_.layout.insert(std::move(place));
            }
    }

private:
    void move(std::string& id, std::string& home, const std::string& server) {
        const std::string before = std::exchange(home, server);
        // Of one id that several have it is not known whose the links are.
        if (before == server || before.empty() || !id.starts_with(before) || uses_[id] > 1) return;
        const std::string now = names_.like(server + id.substr(before.size()));
        ids_.emplace(id, now);
        id = now;
    }

    Cluster& cluster_;
    FreshNames names_;
    std::unordered_map<std::string, int> uses_ = {};
    std::unordered_map<std::string, std::string> ids_ = {};  ///< new ones, by the old
};

}  // namespace

void movePartToServer(Cluster& cluster, const ClusterPart& part, const std::string& server) {
    ServerMover mover(cluster);
    for (const int device : part.devices) mover.moveDevice(device, server);
    for (const int index : part.switches) mover.moveSwitch(index, server);
    mover.finish();
}

void moveApart(Cluster& cluster, const ClusterPart& part) {
    ServerMover mover(cluster);
    for (const int device : part.devices) mover.moveDevice(device, mover.freshServer());
    for (const int index : part.switches)
        if (!cluster.switches[at(index)].server.empty()) mover.moveSwitch(index, mover.freshServer());
    mover.finish();
}

}  // namespace stagecraft::editing
