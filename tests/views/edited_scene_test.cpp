// What a scene takes over from the one before an edit, and which parts of a cluster are alike, against both
// worked out plainly.
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/large_cluster.h"
#include "views/topology/like_parts.h"
#include "views/topology/switch_rows.h"
#include "views/topology/topology_scene.h"

#include <QTest>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <tuple>

using namespace stagecraft;

namespace {

template <class List>
auto& anyOf(List& list, std::mt19937& random) {
    return list[random() % list.size()];
}

/// Of a large cluster: connected, so that it has no mistakes, with switches in servers whose names do not say
/// what they are.
Cluster connectedCluster(std::mt19937& random) {
    Cluster cluster = largeCluster(random);
    const auto rename = [](std::string& id) {
        if (id.ends_with("nic0")) id.replace(id.size() - 4, 4, "switch0");
    };
    for (Switch& node : cluster.switches) rename(node.id);
    for (Link& link : cluster.links) {
        rename(link.a);
        rename(link.b);
    }
    for (const Switch& node : cluster.switches)
        cluster.links.push_back({node.id, "hub", 5e10, 0, "infiniband", ""});
    cluster.switches.push_back({"hub", ""});
    return cluster;
}

/// One of the edits that a person makes, of numbers, names, kinds or ends, some of them mistakes.
void editAnything(Cluster& cluster, std::mt19937& random) {
    Link& link = anyOf(cluster.links, random);
    Device& device = anyOf(cluster.devices, random);
    Switch& node = anyOf(cluster.switches, random);
    switch (random() % 14) {
        case 0:
        case 1:
            link.bandwidthBps = 1e9 * static_cast<double>(1 + random() % 50);
            return;
        case 2:
            link.bandwidthBps = 0;
            return;
        case 3:
            link.latencyS = random() % 4 ? 1e-6 : -1;
            return;
        case 4:
            for (Link& each : cluster.links)
                if (each.a == node.id || each.b == node.id) each.kind = "nvlink";
            return;
        case 5:
            device.memoryBytes = random() % 4 ? 4e10 : std::numeric_limits<double>::quiet_NaN();
            return;
        case 6:
            device.gpu = "V100";
            return;
        case 7:
            device.id += "x";  // its links end nowhere
            return;
        case 8:
            device.server = anyOf(cluster.devices, random).server;
            return;
        case 9:
            node.server = node.server.empty() ? "s0" : "";
            return;
        case 10:
            link.b = anyOf(cluster.switches, random).id;
            return;
        case 11:
            cluster.links.erase(cluster.links.begin() +
                                static_cast<std::ptrdiff_t>(random() % cluster.links.size()));
            return;
        case 12:
            cluster.layout[device.server] = {10, 20};
            return;
        default:
            anyOf(cluster.devices, random).id = node.id;
    }
}

QString differenceOf(const TopologyLinks& one, const TopologyLinks& other) {
    const auto &these = one.bundles, &those = other.bundles;
    if (these.size() != those.size()) return QStringLiteral("bundles");
    for (std::size_t i = 0; i < these.size(); ++i)
        if (these[i].route != those[i].route || these[i].text() != those[i].text() ||
            these[i].exits != those[i].exits || !(these[i].summary == those[i].summary))
            return QStringLiteral("routes");
    if (one.inner.size() != other.inner.size()) return QStringLiteral("lines");
    for (std::size_t i = 0; i < one.inner.size(); ++i)
        if (one.inner[i].link != other.inner[i].link || one.inner[i].route != other.inner[i].route)
            return QStringLiteral("lines");
    if (one.switchSummary != other.switchSummary || one.among != other.among ||
        one.amongStack != other.amongStack || one.serverSummary != other.serverSummary ||
        one.undrawn != other.undrawn || !(one.betweenServers == other.betweenServers))
        return QStringLiteral("summaries");
    for (std::size_t i = 0; i < one.places.size(); ++i) {
        const LinkPlace &a = one.places[i], &b = other.places[i];
        if (std::tie(a.inner, a.hub, a.bundle, a.edge) != std::tie(b.inner, b.hub, b.bundle, b.edge))
            return QStringLiteral("places of links");
    }
    if (one.kinds.size() != other.kinds.size()) return QStringLiteral("kinds");
    for (std::size_t i = 0; i < one.kinds.size(); ++i)
        if (one.kinds[i].rates != other.kinds[i].rates || one.kinds[i].count != other.kinds[i].count)
            return QStringLiteral("kinds");
    return {};
}

/// Empty if they are one picture with one text.
QString differenceOf(const TopologyScene& one, const TopologyScene& other) {
    if (one.mistakes() != other.mistakes()) return QStringLiteral("mistakes");
    const TopologyLayout &a = one.layout(), &b = other.layout();
    if (a.devices != b.devices || a.switches != b.switches || a.bounds != b.bounds)
        return QStringLiteral("places");
    if (a.roles != b.roles || a.serverOfDevice != b.serverOfDevice) return QStringLiteral("roles");
    const std::pair<ClusterNode::Kind, std::size_t> kinds[] = {
        {ClusterNode::Kind::device, one.cluster().devices.size()},
        {ClusterNode::Kind::switchNode, one.cluster().switches.size()}};
    for (const auto& [kind, count] : kinds)
        for (std::size_t i = 0; i < count; ++i) {
            const ClusterNode node{kind, static_cast<int>(i)};
            if (one.names().of(node) != other.names().of(node)) return one.names().of(node);
            if (one.graph().edgesOf(node) != other.graph().edgesOf(node))
                return QStringLiteral("links of nodes");
        }
    if (a.servers.size() != b.servers.size()) return QStringLiteral("servers");
    for (std::size_t i = 0; i < a.servers.size(); ++i)
        if (a.servers[i].box != b.servers[i].box || a.servers[i].members != b.servers[i].members)
            return QStringLiteral("boxes");
    return differenceOf(one.links(), other.links());
}

/// The links of a switch as they are looked for one by one, and as they are kept for those that are drawn.
QString differenceInSwitches(const TopologyScene& scene) {
    for (std::size_t i = 0; i < scene.cluster().switches.size(); ++i) {
        const auto index = static_cast<int>(i);
        const ClusterNode self{ClusterNode::Kind::switchNode, index};
        const LinkSummary &kept = scene.links().ofSwitch(index), found = scene.linksOfSwitch(index);
        if (scene.layout().isHidden(self) ? !kept.links.empty() : !(kept == found))
            return QStringLiteral("links of switch %1").arg(index);
    }
    return {};
}

/// Numbers keys in the order in which they come.
std::vector<int> numbered(const std::vector<QString>& keys) {
    std::map<QString, int> known;
    std::vector<int> numbers;
    for (const QString& key : keys)
        numbers.push_back(known.try_emplace(key, static_cast<int>(known.size())).first->second);
    return numbers;
}

QString joined(QStringList parts) {
    parts.sort();
    return parts.join(';');
}

/// Colour refinement as like_parts.h describes it, with text for keys, as coarse as it begins (0 rounds) or
/// finer.
class PlainRefinement {
public:
    PlainRefinement(const Cluster& cluster, const ClusterGraph& graph, const TopologyLayout& layout)
        : cluster_(cluster), graph_(graph), layout_(layout) {
        for (const Device& device : cluster.devices)
            devices_.push_back(QString("d%1 %2 %3 %4")
                                   .arg(QString::fromStdString(device.gpu))
                                   .arg(device.memoryBytes)
                                   .arg(device.speed)
                                   .arg(device.hostBandwidthBps));
        for (const NodeRole role : layout.roles)
            switches_.push_back(QString("s%1").arg(static_cast<int>(role)));
        for (int round = 0; round < 3; ++round) refineInside();
        nameUnits();
    }

    /// @return whether classes are more
    bool refine() {
        std::vector<QString> next;
        for (const int unit : units_) {
            QStringList ends;
            for (const ClusterNode node : nodesOf(unit))
                for (const int edge : graph_.edgesOf(node))
                    if (const int other = unitOf(graph_.other(edge, node)); other != unit)
                        ends << QString("%1 %2 %3").arg(keyOf(node), linkOf(edge)).arg(classOf(other));
            next.push_back(QString("%1|").arg(classOf(unit)) + joined(ends));
        }
        const int before = count();
        classes_ = numbered(next);
        return count() > before;
    }
    int count() const {
        return classes_.empty() ? 0 : 1 + *std::max_element(classes_.begin(), classes_.end());
    }
    std::vector<std::pair<std::vector<int>, std::vector<int>>> classes() const {
        std::vector<std::pair<std::vector<int>, std::vector<int>>> result(static_cast<std::size_t>(count()));
        const int servers = static_cast<int>(layout_.servers.size());
        for (std::size_t i = 0; i < units_.size(); ++i) {
            auto& own = result[static_cast<std::size_t>(classes_[i])];
            units_[i] < servers ? own.first.push_back(units_[i]) : own.second.push_back(units_[i] - servers);
        }
        return result;
    }

private:
    QString linkOf(int edge) const {
        const Link& link =
            cluster_.links[static_cast<std::size_t>(graph_.edges[static_cast<std::size_t>(edge)].link)];
        return QString("%1,%2,%3")
            .arg(QString::fromStdString(link.kind))
            .arg(link.bandwidthBps)
            .arg(link.latencyS);
    }
    QString keyOf(ClusterNode node) const {
        return (node.kind == ClusterNode::Kind::device ? devices_
                                                       : switches_)[static_cast<std::size_t>(node.index)];
    }
    int unitOf(ClusterNode node) const {
        const int server = layout_.server(node);
        return server >= 0 ? server : static_cast<int>(layout_.servers.size()) + node.index;
    }
    int classOf(int unit) const {
        return classes_[static_cast<std::size_t>(std::find(units_.begin(), units_.end(), unit) -
                                                 units_.begin())];
    }
    std::vector<ClusterNode> nodesOf(int unit) const {
        const int servers = static_cast<int>(layout_.servers.size());
        if (unit >= servers) return {{ClusterNode::Kind::switchNode, unit - servers}};
        const ServerBox& server = layout_.servers[static_cast<std::size_t>(unit)];
        std::vector<ClusterNode> nodes;
        for (const int device : server.devices) nodes.push_back({ClusterNode::Kind::device, device});
        for (const int index : server.switches) nodes.push_back({ClusterNode::Kind::switchNode, index});
        return nodes;
    }

    void refineInside() {
        std::vector<ClusterNode> nodes;
        std::vector<QString> keys;
        for (std::size_t unit = 0; unit < layout_.servers.size(); ++unit)
            for (const ClusterNode node : nodesOf(static_cast<int>(unit))) {
                QStringList ends;
                for (const int edge : graph_.edgesOf(node))
                    if (const ClusterNode end = graph_.other(edge, node);
                        unitOf(end) == static_cast<int>(unit))
                        ends << linkOf(edge) + ' ' + keyOf(end);
                nodes.push_back(node);
                keys.push_back(keyOf(node) + '|' + joined(ends));
            }
        const std::vector<int> numbers = numbered(keys);
        for (std::size_t i = 0; i < nodes.size(); ++i)
            (nodes[i].kind == ClusterNode::Kind::device
                 ? devices_
                 : switches_)[static_cast<std::size_t>(nodes[i].index)] = QString("n%1").arg(numbers[i]);
    }

    void nameUnits() {
        std::vector<QString> keys;
        for (std::size_t server = 0; server < layout_.servers.size(); ++server) {
            const int unit = static_cast<int>(server);
            QStringList parts;
            for (const ClusterNode node : nodesOf(unit)) {
                parts << "part " + keyOf(node);
                for (const int edge : graph_.edgesOf(node))
                    if (unitOf(graph_.other(edge, node)) != unit)
                        parts << "end " + keyOf(node) + ' ' + linkOf(edge);
            }
            units_.push_back(unit);
            keys.push_back("server " + joined(parts));
        }
        std::vector<int> network;
        for (std::size_t i = 0; i < layout_.serverOfSwitch.size(); ++i)
            if (layout_.serverOfSwitch[i] < 0) network.push_back(static_cast<int>(i));
        const std::vector<int> levels =
            switchLevels(graph_, network, [this](ClusterNode node) { return layout_.server(node) >= 0; });
        for (std::size_t i = 0; i < network.size(); ++i) {
            const ClusterNode self{ClusterNode::Kind::switchNode, network[i]};
            std::set<QString> links;
            for (const int edge : graph_.edgesOf(self)) links.insert(linkOf(edge));
            units_.push_back(unitOf(self));
            keys.push_back(QString("switch %1 %2 ")
                               .arg(levels[i])
                               .arg(static_cast<int>(layout_.roles[static_cast<std::size_t>(network[i])])) +
                           QStringList(links.begin(), links.end()).join(';'));
        }
        classes_ = numbered(keys);
    }

    const Cluster& cluster_;
    const ClusterGraph& graph_;
    const TopologyLayout& layout_;
    std::vector<QString> devices_, switches_;
    std::vector<int> units_, classes_;
};

}  // namespace

class EditedSceneTest : public QObject {
    Q_OBJECT
private slots:
    void aSceneAfterAnyEditIsAsOneMadeAnew() {
        int shared = 0;
        for (unsigned seed = 0; seed < 12; ++seed) {
            std::mt19937 random(seed);
            Cluster cluster = connectedCluster(random);
            auto before = std::make_unique<TopologyScene>(cluster, nullptr);
            for (int edit = 0; edit < 8; ++edit) {
                editAnything(cluster, random);
                // Some are undone, and mistakes with them.
                const Cluster now = random() % 2 ? cluster : before->cluster();
                const FoldChoice folding{random() % 4 > 0, {"s" + std::to_string(random() % 50)}};
                auto after = std::make_unique<TopologyScene>(now, nullptr, std::set<std::string>(), folding,
                                                             before.get());
                const TopologyScene anew(now, nullptr, {}, folding);
                QString difference = differenceOf(*after, anew);
                if (difference.isEmpty()) difference = differenceInSwitches(anew);
                QVERIFY2(difference.isEmpty(),
                         qPrintable(QString("seed %1, edit %2: %3").arg(seed).arg(edit).arg(difference)));
                shared += &after->graph() == &before->graph() && &after->names() == &before->names();
                before = std::move(after);
                if (edit % 4 == 3) cluster = connectedCluster(random);
            }
        }
        QVERIFY2(shared > 10, qPrintable(QString::number(shared)));
    }

    void partsAreAlikeAsPlainRefinementSays() {
        for (unsigned seed = 0; seed < 6; ++seed) {
            std::mt19937 random(seed);
            Cluster cluster = largeCluster(random);
            for (int edit = 0; edit < 3; ++edit) editAnything(cluster, random);
            for (const double bytes : {1e9, 2e9, 1e9}) {
                const std::string name = "x" + std::to_string(cluster.devices.size());
                cluster.devices.push_back({name, name, "H100", bytes, 1, 0});
            }
            // Laid out in full: nothing is folded yet when parts are compared.
            const TopologyScene scene(cluster, nullptr, {}, {.folds = false});
            PlainRefinement plain(scene.cluster(), scene.graph(), scene.layout());
            auto expected = plain.classes();
            for (int round = 0; round < 8 && plain.refine(); ++round) expected = plain.classes();
            std::vector<std::pair<std::vector<int>, std::vector<int>>> found;
            constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
            for (const LikeClass& like :
                 likeClasses(scene.cluster(), scene.graph(), scene.layout(), any, any))
                found.emplace_back(like.servers, like.switches);
            QCOMPARE(found.size(), expected.size());
            QVERIFY(found == expected);
        }
    }
};

STAGECRAFT_TEST(EditedSceneTest)
#include "edited_scene_test.moc"
