#include "views/topology/brief_cluster.h"

#include "views/common/text.h"
#include "views/topology/node_roles.h"

#include <QRegularExpression>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace stagecraft::views::topology {

namespace {

constexpr std::size_t fewestAlike = 3;

/// A server with all that makes it like another.
struct ServerLook {
    QStringList inside;           ///< in any order: devices, switches, links, ways out
    std::set<std::string> links;  ///< ids of what it is linked to, outside of it
};

class ServerLooks {
public:
    explicit ServerLooks(const Cluster& cluster) {
        for (const Device& device : cluster.devices) {
            add(device.id, device.server);
            look(device.server).inside << QString("g %1 %2 %3 %4 %5")
                                              .arg(local(device.id), qtText(device.gpu))
                                              .arg(device.memoryBytes)
                                              .arg(device.speed)
                                              .arg(device.hostBandwidthBps);
        }
        for (const Switch& node : cluster.switches) {
            add(node.id, node.server);
            if (!node.server.empty()) look(node.server).inside << "s " + local(node.id);
        }
        for (const Link& link : cluster.links) addLink(link);
        for (auto& [name, own] : looks_) own.inside.sort();
    }

    /// Empty for what is in no server, or unknown.
    const std::string& serverOf(const std::string& id) const {
        static const std::string none;
        const auto found = serverOf_.find(id);
        return found == serverOf_.end() ? none : found->second;
    }
    const ServerLook& of(const std::string& server) const { return looks_.at(server); }
    const std::vector<std::string>& servers() const { return order_; }

private:
    void add(const std::string& id, const std::string& server) {
        serverOf_[id] = server;
        if (!server.empty() && !looks_.contains(server)) order_.push_back(server);
        if (!server.empty()) looks_[server];
    }
    ServerLook& look(const std::string& server) { return looks_[server]; }
    QString local(const std::string& id) const { return withoutServer(qtText(id), qtText(serverOf(id))); }

    void addLink(const Link& link) {
        const std::string &a = serverOf(link.a), &b = serverOf(link.b);
        const QString rate =
            QString("%1 %2 %3").arg(link.bandwidthBps).arg(link.latencyS).arg(qtText(link.kind));
        if (a == b && !a.empty()) {
            QStringList ends = {local(link.a), local(link.b)};
            ends.sort();
            look(a).inside << "l " + ends.join(' ') + ' ' + rate;
            return;
        }
        for (const auto& [own, other] : {std::pair(link.a, link.b), std::pair(link.b, link.a)}) {
            if (serverOf(own).empty()) continue;
            look(serverOf(own)).inside << "o " + local(own) + ' ' + rate;
            look(serverOf(own)).links.insert(serverOf(other).empty() ? other : serverOf(other));
        }
    }

    std::unordered_map<std::string, std::string> serverOf_;
    std::map<std::string, ServerLook> looks_;
    std::vector<std::string> order_;
};

/// What represents servers, by their names.
struct StandIn {
    std::string server, node;
};

std::map<std::string, StandIn> standInsOf(const ServerLooks& looks) {
    std::map<QString, std::vector<std::string>> classes;
    for (const std::string& server : looks.servers())
        classes[looks.of(server).inside.join('\n')].push_back(server);
    std::map<std::string, StandIn> standIns;
    for (const auto& [look, alike] : classes) {
        if (alike.size() < fewestAlike) continue;
        std::map<std::set<std::string>, std::vector<std::string>> groups;
        for (std::size_t i = 1; i < alike.size(); ++i) groups[looks.of(alike[i]).links].push_back(alike[i]);
        for (const auto& [links, servers] : groups) {
            QStringList names;
            for (const std::string& server : servers) names << qtText(server);
            const QString name = inRanges(names).join(QStringLiteral(", "));
            const QString label =
                servers.size() == 1 ? name : QString::fromUtf8("%1 (×%2)").arg(name).arg(servers.size());
            for (const std::string& server : servers)
                standIns[server] = {name.toStdString(), (name + "/" + label).toStdString()};
        }
    }
    return standIns;
}

}  // namespace

std::optional<BriefCluster> briefCluster(const Cluster& cluster) {
    const ServerLooks looks(cluster);
    const std::map<std::string, StandIn> standIns = standInsOf(looks);
    if (standIns.empty()) return std::nullopt;
    BriefCluster brief;
    brief.cluster.name = cluster.name;
    for (const Device& device : cluster.devices)
        if (!standIns.contains(device.server)) brief.cluster.devices.push_back(device);
    for (const Switch& node : cluster.switches)
        if (!standIns.contains(node.server)) brief.cluster.switches.push_back(node);
    for (const std::string& server : looks.servers()) {
        const auto found = standIns.find(server);
        if (found == standIns.end()) continue;
        const StandIn& own = found->second;
        if (!brief.standIns.insert(own.server).second) continue;
        brief.cluster.switches.push_back({own.node, own.server});
    }
    const auto drawnFor = [&](const std::string& id) {
        const auto found = standIns.find(looks.serverOf(id));
        return found == standIns.end() ? id : found->second.node;
    };
    for (Link link : cluster.links) {
        link.a = drawnFor(link.a);
        link.b = drawnFor(link.b);
        if (link.a != link.b) brief.cluster.links.push_back(std::move(link));
    }
    return brief;
}

QStringList inRanges(const QStringList& names) {
    static const QRegularExpression numbered(QStringLiteral("^(.*?)(\\d+)$"));
    struct Run {
        QString stem, first, last;
        long long next = 0;
    };
    std::vector<Run> runs;
    for (const QString& name : names) {
        const auto match = numbered.match(name);
        const long long number = match.hasMatch() ? match.captured(2).toLongLong() : -1;
        const QString stem = match.hasMatch() ? match.captured(1) : name;
        if (number >= 0 && !runs.empty() && runs.back().stem == stem && runs.back().next == number) {
            runs.back().last = name;
            ++runs.back().next;
        } else {
            runs.push_back({stem, name, name, number + 1});
        }
    }
    QStringList words;
    for (const Run& run : runs) {
        const bool two = run.next - 2 == numbered.match(run.first).captured(2).toLongLong();
        words << (run.first == run.last ? run.first
                  : two                 ? run.first + ", " + run.last
                                        : run.first + QString::fromUtf8("–") + run.last);
    }
    return words;
}

}  // namespace stagecraft::views::topology
