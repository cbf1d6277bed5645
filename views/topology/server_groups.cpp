#include "views/topology/server_groups.h"

#include "views/common/text.h"
#include "views/topology/rack_layout.h"
#include "views/topology/switch_rows.h"
#include "views/topology/topology_links.h"

#include <QStringList>

#include <algorithm>
#include <cmath>
#include <map>

namespace stagecraft::views::topology {

namespace {

constexpr QSizeF groupSize(320, 112);
constexpr std::size_t mostBoxes = 96;  // of a folded picture

/// Folds the classes of a cluster one by one.
class Folding {
public:
    Folding(const Cluster& cluster, const ClusterGraph& graph, TopologyLayout& layout,
            const FoldChoice& choice)
        : cluster_(cluster), layout_(layout), choice_(choice), hasOwnPlace_(layout.servers.size()) {
        const auto mark = [&](ClusterNode node) {
            if (const int server = layout.server(node); server >= 0)
                hasOwnPlace_[static_cast<std::size_t>(server)] = true;
        };
        for (const auto& [id, place] : cluster.layout)
            if (const auto node = graph.nodes.find(id); node != graph.nodes.end()) mark(node->second);
        for (const ClusterNode node : graph.sameIds)
            if (cluster.layout.contains(node.kind == ClusterNode::Kind::device
                                            ? cluster.devices[static_cast<std::size_t>(node.index)].id
                                            : idOf(node.index)))
                mark(node);
    }

    void fold(const LikeClass& like) {
        if (like.servers.size() > mostAlikeInFull) foldServers(like.servers);
        if (like.switches.size() > mostAlikeInFull) foldSwitches(like.switches);
    }

private:
    const std::string& idOf(int index) const { return cluster_.switches[static_cast<std::size_t>(index)].id; }

    void foldServers(const std::vector<int>& alike) {
        ServerBox group;
        for (const int index : alike) {
            const ServerBox& server = layout_.servers[static_cast<std::size_t>(index)];
            if (server.name.empty() || hasOwnPlace_[static_cast<std::size_t>(index)]) continue;
            (choice_.open.contains(server.name) ? group.open : group.members).push_back(index);
        }
        if (group.members.size() < 2) return;
        const int own = static_cast<int>(layout_.servers.size());
        for (const int index : group.members) {
            ServerBox& server = layout_.servers[static_cast<std::size_t>(index)];
            server.foldedInto = own;
            group.devices.insert(group.devices.end(), server.devices.begin(), server.devices.end());
            group.switches.insert(group.switches.end(), server.switches.begin(), server.switches.end());
        }
        for (const int index : group.open) layout_.servers[static_cast<std::size_t>(index)].besideGroup = own;
        group.name = counted(static_cast<long long>(group.members.size()), "server");
        group.box = QRectF(QPointF(), groupSize);
        layout_.servers.push_back(std::move(group));
    }

    void foldSwitches(const std::vector<int>& alike) {
        SwitchStack stack;
        for (const int index : alike)
            if (!cluster_.layout.contains(idOf(index)))
                (choice_.open.contains(idOf(index)) ? stack.open : stack.members).push_back(index);
        if (stack.members.size() < 2) return;
        for (const int index : stack.members)
            layout_.stackOf[static_cast<std::size_t>(index)] = static_cast<int>(layout_.stacks.size());
        stack.units = static_cast<int>(stack.members.size());
        stack.isFolded = true;
        layout_.stacks.push_back(std::move(stack));
    }

    const Cluster& cluster_;
    TopologyLayout& layout_;
    const FoldChoice& choice_;
    std::vector<bool> hasOwnPlace_;  ///< by server
};

/// How often each type of GPU is in a server, in the order of their first: "8 × H100-SXM5-80GB".
QString gpusOf(const Cluster& cluster, const ServerBox& server) {
    std::vector<std::pair<std::string, int>> types;
    for (const int index : server.devices) {
        const std::string& gpu = cluster.devices[static_cast<std::size_t>(index)].gpu;
        const auto known =
            std::find_if(types.begin(), types.end(), [&](const auto& type) { return type.first == gpu; });
        if (known == types.end())
            types.emplace_back(gpu, 1);
        else
            ++known->second;
    }
    QStringList words;
    for (const auto& [gpu, count] : types)
        words << (gpu.empty() ? countedText(count, "GPU")
                              : QString::fromUtf8("%1 × %2").arg(count).arg(qtText(gpu)));
    return words.isEmpty() ? QStringLiteral("no GPU") : words.join(QStringLiteral(" + "));
}

/// "2 × CPU, 8 × PCIe switch, 8 × NIC": the switches in a server.
QString partsOf(const TopologyLayout& layout, const ServerBox& server) {
    const std::pair<NodeRole, const char*> nouns[] = {{NodeRole::nvSwitch, "NVSwitch"},
                                                      {NodeRole::nic, "NIC"},
                                                      {NodeRole::pcie, "PCIe switch"},
                                                      {NodeRole::socket, "CPU"}};
    QStringList words;
    for (const auto& [role, noun] : nouns) {
        const auto count = std::count_if(server.switches.begin(), server.switches.end(), [&](int index) {
            return layout.roles[static_cast<std::size_t>(index)] == role;
        });
        if (count > 0) words << QString::fromUtf8("%1 × %2").arg(count).arg(QLatin1String(noun));
    }
    return words.join(QStringLiteral(", "));
}

}  // namespace

bool wantsFolds(const TopologyLayout& layout, const FoldChoice& choice) {
    const auto network = std::count(layout.serverOfSwitch.begin(), layout.serverOfSwitch.end(), -1);
    const bool isLarge =
        layout.servers.size() > mostDrawnInFull || network > static_cast<std::ptrdiff_t>(mostDrawnInFull);
    return choice.folds && isLarge;
}

void foldLike(const Cluster& cluster, const ClusterGraph& graph, const LikeParts& alike,
              TopologyLayout& layout, const FoldChoice& choice) {
    Folding folding(cluster, graph, layout, choice);
    for (const LikeClass& like : alike.classes(mostAlikeInFull, mostBoxes)) folding.fold(like);
}

void placeFolded(TopologyLayout& layout, const std::vector<bool>& isPlaced, QPointF origin) {
    // In the order of the first of each kind; a box with what is open of it on its left is one run.
    std::map<int, std::vector<std::size_t>> runs;
    for (std::size_t i = 0; i < layout.servers.size(); ++i) {
        const ServerBox& server = layout.servers[i];
        if (isPlaced[i] || server.foldedInto >= 0) continue;
        const ServerBox& group =
            server.besideGroup < 0 ? server : layout.servers[static_cast<std::size_t>(server.besideGroup)];
        runs[group.isGroup() ? group.members.front() : static_cast<int>(i)].push_back(i);
    }
    const auto sizeOf = [&](const std::vector<std::size_t>& run) {
        QSizeF size(0, 0);
        for (const std::size_t i : run)
            size = QSizeF(size.width() + layout.servers[i].box.width() + street,
                          std::max(size.height(), layout.servers[i].box.height() + street));
        return size;
    };
    double area = 0, width = 0;
    for (const auto& [first, run] : runs) {
        area += sizeOf(run).width() * sizeOf(run).height();
        width = std::max(width, sizeOf(run).width());
    }
    constexpr double aspect = 2;
    constexpr double mostInARow = 4;
    width = std::max({width, std::sqrt(aspect * area), mostInARow * (groupSize.width() + street)});
    QPointF corner = origin;
    double below = origin.y();
    for (const auto& [first, run] : runs) {
        if (corner.x() > origin.x() && corner.x() + sizeOf(run).width() > origin.x() + width)
            corner = QPointF(origin.x(), below);
        for (const std::size_t i : run) {
            ServerBox& server = layout.servers[i];
            const QPointF by = corner - server.box.topLeft();
            server.isGroup() ? server.translate(by) : moveServer(layout, server, by);
            corner.rx() += server.box.width() + street;
            below = std::max(below, server.box.bottom() + street);
        }
    }
}

bool hasFolds(const TopologyLayout& layout) { return !foldedInWords(layout).isEmpty(); }

GroupWords groupWords(const Cluster& cluster, const TopologyLayout& layout, int server) {
    const ServerBox& group = layout.servers[static_cast<std::size_t>(server)];
    const auto member = [&](int index) -> const ServerBox& {
        return layout.servers[static_cast<std::size_t>(index)];
    };
    GroupWords words;
    words.number = QString::fromUtf8("×") + countText(group.members.size());
    words.title = words.number + (group.open.empty() ? QStringLiteral(" servers") : QStringLiteral(" more"));
    words.each = gpusOf(cluster, member(group.members.front()));
    words.parts = partsOf(layout, member(group.members.front()));
    words.range = qtText(member(group.members.front()).name) + QString::fromUtf8(" … ") +
                  qtText(member(group.members.back()).name);
    return words;
}

QString stackOfAlike(const QStringList& names) {
    QString stem = names.front();
    for (const QString& name : names)
        while (!name.startsWith(stem)) stem.chop(1);
    while (!stem.isEmpty() && !stem.back().isLetter()) stem.chop(1);
    if (stem.isEmpty()) stem = QStringLiteral("switch");
    return QString::fromUtf8("%1 × %2").arg(countText(static_cast<std::size_t>(names.size())), stem);
}

QString foldedInWords(const TopologyLayout& layout) {
    std::size_t servers = 0, switches = 0;
    long long groups = 0, stacks = 0;
    for (const ServerBox& server : layout.servers) {
        servers += server.members.size();
        groups += server.isGroup();
    }
    for (const SwitchStack& stack : layout.stacks) {
        if (!layout.isNetworkFold(stack)) continue;
        switches += stack.members.size();
        ++stacks;
    }
    QStringList words;
    if (groups) words << countText(servers) + " servers in " + countedText(groups, "box", "boxes");
    if (stacks) words << countText(switches) + " switches in " + countedText(stacks, "box", "boxes");
    return words.isEmpty() ? QString() : "folded: " + words.join(QStringLiteral(", "));
}

}  // namespace stagecraft::views::topology
