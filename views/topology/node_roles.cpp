#include "views/topology/node_roles.h"

#include "views/common/text.h"
#include "views/topology/server_groups.h"

#include <QHash>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

namespace stagecraft::views::topology {

namespace {

/// What a name says by how it begins; the longest words first.
std::optional<NodeRole> roleOfName(const QString& name) {
    static const std::pair<const char*, NodeRole> words[] = {
        {"nvswitch", NodeRole::nvSwitch}, {"nvs", NodeRole::nvSwitch}, {"socket", NodeRole::socket},
        {"numa", NodeRole::socket},       {"cpu", NodeRole::socket},   {"pci", NodeRole::pcie},
        {"host", NodeRole::pcie},         {"plx", NodeRole::pcie},     {"bridge", NodeRole::pcie},
        {"nic", NodeRole::nic},           {"net-", NodeRole::nic},     {"mlx", NodeRole::nic},
        {"hca", NodeRole::nic},           {"efa", NodeRole::nic},      {"port", NodeRole::nic}};
    const QString lower = name.toLower();
    for (const auto& [word, role] : words)
        if (lower.startsWith(QLatin1String(word))) return role;
    static const QRegularExpression port(QStringLiteral("^(net|ib|eth|eno|bond)\\d"));
    if (port.match(lower).hasMatch()) return NodeRole::nic;
    return std::nullopt;
}

NodeRole roleOfLinks(const Cluster& cluster, const ClusterGraph& graph, int index) {
    const ClusterNode self{ClusterNode::Kind::switchNode, index};
    int nvlinks = 0, others = 0;
    for (const int edge : graph.edgesOf(self)) {
        const std::string& kind =
            cluster.links[static_cast<std::size_t>(graph.edges[static_cast<std::size_t>(edge)].link)].kind;
        ++(kind == "nvlink" || kind == "nvswitch" ? nvlinks : others);
    }
    return nvlinks > 0 && others == 0 ? NodeRole::nvSwitch : NodeRole::pcie;
}

/// Whether a switch outside of servers joins what is in several and nothing else, by NVLink alone.
bool joinsARack(const Cluster& cluster, const ClusterGraph& graph, int index) {
    const ClusterNode self{ClusterNode::Kind::switchNode, index};
    std::set<std::string> servers;
    for (const int edge : graph.edgesOf(self)) {
        const ClusterNode end = graph.other(edge, self);
        const auto i = static_cast<std::size_t>(end.index);
        servers.insert(end.kind == ClusterNode::Kind::device ? cluster.devices[i].server
                                                             : cluster.switches[i].server);
        if (end.kind == ClusterNode::Kind::switchNode && cluster.switches[i].server.empty()) return false;
    }
    return servers.size() > 1 && roleOfLinks(cluster, graph, index) == NodeRole::nvSwitch;
}

/// "GPU 3" for "g3", "gpu3" or "3"; empty for a name that a person chose.
QString deviceName(const QString& rest) {
    static const QRegularExpression usual(QStringLiteral("^(g|gpu|dev|device|npu)?[-_ ]?(\\d+)$"),
                                          QRegularExpression::CaseInsensitiveOption);
    const auto match = usual.match(rest);
    return match.hasMatch() ? "GPU " + match.captured(2) : rest;
}

QString switchName(const QString& rest, NodeRole role) {
    static const QRegularExpression usual(QStringLiteral("^([a-zA-Z]+)[-_ ]?(\\d*)$"));
    static const std::map<QString, QString> nouns = {
        {"nvswitch", "NVSwitch"}, {"nvs", "NVSwitch"},     {"socket", "CPU"},      {"cpu", "CPU"},
        {"numa", "NUMA node"},    {"pcie", "PCIe switch"}, {"pci", "PCIe switch"}, {"plx", "PCIe switch"},
        {"host", "Host bridge"},  {"nic", "NIC"},          {"net", "NIC"}};
    if (rest.startsWith(QLatin1String("net-"))) return "NIC " + rest.mid(4);
    const auto match = usual.match(rest);
    if (!match.hasMatch()) return role == NodeRole::nic ? "NIC " + rest : rest;
    const QString word = match.captured(1).toLower();
    const QString number = match.captured(2).isEmpty() ? QString() : " " + match.captured(2);
    if (word == QLatin1String("switch"))
        return (role == NodeRole::nvSwitch ? "NVSwitch" : "PCIe switch") + number;
    const auto noun = nouns.find(word);
    return noun == nouns.end() ? rest : noun->second + number;
}

/// "NVSwitch" for "nvswitch", "rack0 NVSwitch" for "rack0nvswitch"; others as they are.
QString rackSwitchName(const QString& id) {
    static const QRegularExpression usual(QStringLiteral("^(.*?)[-_ /.]?nvswitch[-_ ]?(\\d*)$"),
                                          QRegularExpression::CaseInsensitiveOption);
    const auto match = usual.match(id);
    if (!match.hasMatch()) return id;
    return QStringList({match.captured(1), QStringLiteral("NVSwitch"), match.captured(2)})
        .join(' ')
        .simplified();
}

}  // namespace

QString withoutServer(const QString& id, const QString& server) {
    if (server.isEmpty() || !id.startsWith(server)) return id;
    QString rest = id.mid(server.size());
    while (!rest.isEmpty() && !rest.front().isLetterOrNumber()) rest.remove(0, 1);
    return rest.isEmpty() ? id : rest;
}

std::vector<NodeRole> switchRoles(const Cluster& cluster, const ClusterGraph& graph) {
    std::vector<NodeRole> roles;
    QHash<QString, std::optional<NodeRole>> ofNames;
    for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
        const Switch& node = cluster.switches[i];
        if (node.server.empty()) {
            const bool ofRack = joinsARack(cluster, graph, static_cast<int>(i));
            roles.push_back(ofRack ? NodeRole::nvSwitch : NodeRole::network);
            continue;
        }
        const QString name = withoutServer(qtText(node.id), qtText(node.server));
        auto known = ofNames.constFind(name);
        if (known == ofNames.constEnd()) known = ofNames.insert(name, roleOfName(name));
        const std::optional<NodeRole>& named = *known;
        roles.push_back(named ? *named : roleOfLinks(cluster, graph, static_cast<int>(i)));
    }
    return roles;
}

namespace {

/// Counts names by server: nodes of large clusters are called alike in all of them.
class NameUses {
public:
    /// Of a name on a server; stays where it is.
    int& of(const std::string& server, const QString& name) {
        const auto serverNumber = servers_.try_emplace(server, servers_.size()).first->second;
        const auto known = names_.constFind(name);
        const qsizetype nameNumber =
            known != names_.constEnd() ? *known : *names_.insert(name, names_.size());
        return uses_[{serverNumber, nameNumber}];
    }

private:
    struct Hash {
        std::size_t operator()(const std::pair<std::size_t, qsizetype>& key) const {
            return qHash(key.first, static_cast<std::size_t>(key.second));
        }
    };
    std::unordered_map<std::string_view, std::size_t> servers_;
    QHash<QString, qsizetype> names_;
    std::unordered_map<std::pair<std::size_t, qsizetype>, int, Hash> uses_;
};

}  // namespace

NodeNames::NodeNames(const Cluster& cluster, const TopologyLayout& layout) {
    NameUses uses;
    std::vector<const int*> ofDevices, ofSwitches;
    const auto count = [&uses](std::vector<const int*>& counts, const std::string& server,
                               const QString& name) {
        int& number = uses.of(server, name);
        ++number;
        counts.push_back(&number);
    };
    QHash<QString, QString> deviceNames;  // by what a device is called on its server
    for (const Device& device : cluster.devices) {
        const QString rest = withoutServer(qtText(device.id), qtText(device.server));
        auto name = deviceNames.constFind(rest);
        if (name == deviceNames.constEnd()) name = deviceNames.insert(rest, deviceName(rest));
        count(ofDevices, device.server, devices_.emplace_back(*name));
    }
    QHash<std::pair<QString, int>, QString> switchNames;  // the same with roles
    for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
        const Switch& node = cluster.switches[i];
        const NodeRole role = layout.roles[i];
        const QString rest = withoutServer(qtText(node.id), qtText(node.server));
        if (node.server.empty()) {
            switches_.push_back(role == NodeRole::nvSwitch ? rackSwitchName(rest) : rest);
        } else {
            const std::pair key(rest, static_cast<int>(role));
            auto name = switchNames.constFind(key);
            if (name == switchNames.constEnd()) name = switchNames.insert(key, switchName(rest, role));
            switches_.push_back(*name);
        }
        count(ofSwitches, node.server, switches_.back());
    }
    for (std::size_t i = 0; i < devices_.size(); ++i)
        if (*ofDevices[i] > 1) devices_[i] = qtText(cluster.devices[i].id);
    for (std::size_t i = 0; i < switches_.size(); ++i)
        if (*ofSwitches[i] > 1) switches_[i] = qtText(cluster.switches[i].id);
}

const QString& NodeNames::of(ClusterNode node) const {
    return (node.kind == ClusterNode::Kind::device ? devices_
                                                   : switches_)[static_cast<std::size_t>(node.index)];
}

QString NodeNames::ofStack(const TopologyLayout& layout, int switchIndex) const {
    const int stack = layout.stackOf[static_cast<std::size_t>(switchIndex)];
    if (stack < 0) return switches_[static_cast<std::size_t>(switchIndex)];
    const SwitchStack& all = layout.stacks[static_cast<std::size_t>(stack)];
    if (layout.roles[static_cast<std::size_t>(switchIndex)] == NodeRole::nvSwitch)
        return QString::fromUtf8("%1 × NVSwitch").arg(all.units);
    if (layout.isNetworkFold(all)) {
        QStringList names;
        for (const int member : all.members) names << switches_[static_cast<std::size_t>(member)];
        return stackOfAlike(names);
    }
    if (all.isFolded) return QString::fromUtf8("%1 × NIC").arg(all.units);
    // A card is known by its ports, as the tools name them.
    QStringList ports;
    for (std::size_t i = 1; i < all.members.size(); ++i) {
        QString port = switches_[static_cast<std::size_t>(all.members[i])];
        if (port.startsWith(QLatin1String("NIC "))) port.remove(0, 4);
        ports << port;
    }
    constexpr qsizetype mostNamed = 2;
    if (ports.size() > mostNamed) return QString::fromUtf8("NIC, %1 ports").arg(ports.size());
    return "NIC " + ports.join(QStringLiteral(", "));
}

QString NodeNames::initials(const QString& name) {
    static const QRegularExpression part(QStringLiteral("([a-zA-Z])[a-zA-Z]*[-_ .]?(\\d+)[-_ /.]?")),
        all(QStringLiteral("^([a-zA-Z]+[-_ .]?\\d+[-_ /.]?){2,}$"));
    if (!all.match(name).hasMatch()) return {};
    QString text;
    for (auto parts = part.globalMatch(name); parts.hasNext();) {
        const auto match = parts.next();
        text += match.captured(1) + match.captured(2);
    }
    return text;
}

QStringList NodeNames::wordings(const QString& name) {
    static const QRegularExpression separator(QStringLiteral("[/:.]")), digits(QStringLiteral("\\d+$"));
    static const QRegularExpression several(QString::fromUtf8("^(.*) \\((×\\d+)\\)$"));
    if (const auto match = several.match(name); match.hasMatch()) {
        // "s12–15" where "s12–s15" is too wide.
        static const QRegularExpression repeated(QString::fromUtf8("([a-zA-Z]+)(\\d+)(?:–|, )\\1(\\d+)"));
        return {name, match.captured(1), match.captured(1).replace(repeated, QString::fromUtf8("\\1\\2–\\3")),
                match.captured(2)};
    }
    QStringList all = {name};
    QString shorter = name;
    shorter.replace(QLatin1String("PCIe switch"), QLatin1String("PCIe"));
    shorter.replace(QLatin1String("Host bridge"), QLatin1String("Host"));
    if (name.startsWith(QLatin1String("NIC, "))) shorter = name.mid(5);
    if (name.startsWith(QLatin1String("NIC "))) shorter = name.mid(4).section(QLatin1String(", "), 0, 0);
    if (name.endsWith(QLatin1String(" NVSwitch"))) shorter = QStringLiteral("NVSwitch");
    all << shorter << name.section(separator, -1) << initials(name) << digits.match(name).captured();
    all.removeAll(QString());
    all.removeDuplicates();
    return all;
}

}  // namespace stagecraft::views::topology
