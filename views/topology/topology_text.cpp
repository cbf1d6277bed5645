#include "core/analysis/memory_lack.h"
#include "core/base/units.h"
#include "core/model/prices.h"
#include "views/common/text.h"
#include "views/topology/direct_lines.h"
#include "views/topology/topology_scene.h"

#include <QStringList>

#include <algorithm>
#include <set>

namespace stagecraft::views::topology {

namespace {

QString serverName(const std::string& name) {
    return name.empty() ? QStringLiteral("no server") : htmlText(name);
}

/// A heading over rows of name and value.
class Card {
public:
    explicit Card(const QString& heading)
        : html_("<b>" + heading + "</b><table cellspacing=0 cellpadding=1>") {}
    Card& row(const QString& name, const QString& value) {
        html_ += "<tr><td>" + name + "&nbsp;&nbsp;&nbsp;</td><td><nobr>" + value + "</nobr></td></tr>";
        return *this;
    }
    QString html() const { return html_ + "</table>"; }

private:
    QString html_;
};

/// Bytes over the links of a set in an iteration, and the busiest of them.
void addLoad(Card& card, const Metrics* metrics, const std::vector<int>& links) {
    if (!metrics) return;
    double bytes = 0;
    double busiest = 0;
    for (const LinkLoad& load : metrics->links) {
        if (!std::binary_search(links.begin(), links.end(), load.link)) continue;
        bytes += load.bytes;
        busiest = std::max(busiest, load.busyFraction);
    }
    card.row("carries", htmlText(formatBytes(bytes)) + " per iteration");
    card.row(links.size() == 1 ? "busy" : "busiest link",
             htmlText(formatPercent(busiest)) + " of the iteration");
}

/// What the plan's times say of it, where they were measured on its type.
QString speedText(const TopologyScene& scene, int index) {
    const CostModel* costs = scene.run() ? scene.run()->costs.get() : nullptr;
    const bool isMeasured = costs && index < costs->deviceCount() && costs->paceOf(index).kind > 0;
    const double speed =
        isMeasured ? costs->speedOf(index) : scene.cluster().devices[static_cast<std::size_t>(index)].speed;
    return htmlText(formatNumber(speed)) + QString::fromUtf8(" × the reference GPU") +
           (isMeasured ? ", as measured for all layers" : "");
}

/// Its own, or the setup's; empty: not known.
QString priceText(const TopologyScene& scene, int index) {
    const double own = scene.cluster().devices[static_cast<std::size_t>(index)].pricePerHour;
    if (own > 0) return htmlText(formatDollars(own)) + " an hour";
    const CostModel* costs = scene.run() ? scene.run()->costs.get() : nullptr;
    const double setups = costs ? costs->problem().setup.gpuPricePerHour : 0;
    return setups > 0 ? htmlText(formatDollars(setups)) + " an hour, the setup's" : QString();
}

QString deviceText(const TopologyScene& scene, int index) {
    const Device& device = scene.cluster().devices[static_cast<std::size_t>(index)];
    const QString& name = scene.names().of({ClusterNode::Kind::device, index});
    Card card(name.toHtmlEscaped());
    if (name != qtText(device.id)) card.row("id", htmlText(device.id));
    card.row("server", serverName(device.server))
        .row("type", device.gpu.empty() ? "not given" : htmlText(device.gpu))
        .row("memory", htmlText(formatBytes(device.memoryBytes)))
        .row("speed", speedText(scene, index))
        .row("host memory", device.hostBandwidthBps > 0 ? htmlText(formatBandwidth(device.hostBandwidthBps))
                                                        : QStringLiteral("no swapping"));
    if (const QString price = priceText(scene, index); !price.isEmpty()) card.row("price", price);
    if (const Plan* plan = scene.plan()) {
        if (scene.stagesOf(index).empty()) card.row("stage", "none: idle in this plan");
        for (const int stage : scene.stagesOf(index)) {
            card.row("plan", describeStage(*plan, stage) + " GPUs");
            if (plan->pipelineCount() > 1)
                card.row(
                    "",
                    QString("pipeline copy %1").arg(plan->stages[static_cast<std::size_t>(stage)].pipeline));
        }
    }
    const Metrics* metrics = scene.metrics();
    if (metrics && static_cast<std::size_t>(index) < metrics->devices.size()) {
        const DeviceMetrics& own = metrics->devices[static_cast<std::size_t>(index)];
        if (!scene.run()->costs || saysMemory(scene.run()->costs->problem().profile))
            card.row("peak memory", htmlText(formatBytes(own.peakMemoryBytes)) + " of " +
                                        htmlText(formatBytes(own.limitBytes)));
        card.row("busy", htmlText(formatPercent(1 - own.bubbleFraction)) + " of the iteration");
    }
    return card.html();
}

/// Of switches that are drawn in one box.
QString stackText(const TopologyScene& scene, const SwitchStack& stack, Card& card) {
    constexpr std::size_t mostIds = 8;
    QStringList ids;
    LinkSummary links;
    for (const int member : stack.members) {
        const Switch& own = scene.cluster().switches[static_cast<std::size_t>(member)];
        if (ids.size() < static_cast<qsizetype>(mostIds)) ids << htmlText(own.id);
        for (const int link : scene.linksOfSwitch(member).links)
            links.add(link, scene.cluster().links[static_cast<std::size_t>(link)]);
    }
    QString all = ids.join(QStringLiteral(", "));
    if (stack.members.size() > mostIds) all += QString(" and %1 more").arg(stack.members.size() - mostIds);
    card.row(stack.members.size() == 1 ? "id" : "ids", all);
    if (!links.links.empty())
        card.row(scene.layout().server({ClusterNode::Kind::switchNode, stack.members.front()}) < 0
                     ? "links"
                     : "links inside",
                 countText(links.links.size()) + ", " + links.text().toHtmlEscaped() + " each");
    if (const int number = scene.layout().stackOf[static_cast<std::size_t>(stack.members.front())];
        scene.layout().isNetworkFold(stack)) {
        const LinkSummary& among = scene.links().amongStack[static_cast<std::size_t>(number)];
        if (!among.links.empty())
            card.row("among them", countedText(static_cast<long long>(among.links.size()), "link") + ", " +
                                       among.text().toHtmlEscaped());
        card.row("", stack.open.empty() ? "alike; a click shows one of them"
                                        : "alike; a click folds the one shown");
    } else if (stack.isFolded) {
        card.row("", "a click shows them one by one");
    }
    return card.html();
}

QString switchText(const TopologyScene& scene, int index) {
    const Switch& node = scene.cluster().switches[static_cast<std::size_t>(index)];
    const LinkSummary summary = scene.linksOfSwitch(index);
    const QString name = scene.names().ofStack(scene.layout(), index);
    Card card(name.toHtmlEscaped());
    if (const int stack = scene.layout().stackOf[static_cast<std::size_t>(index)]; stack >= 0)
        return stackText(scene, scene.layout().stacks[static_cast<std::size_t>(stack)], card);
    if (name != qtText(node.id)) card.row("id", htmlText(node.id));
    card.row("switch",
             node.server.empty() ? QStringLiteral("of the network") : "in server " + htmlText(node.server))
        .row("links", countText(scene.graph().edgesOf({ClusterNode::Kind::switchNode, index}).size()));
    if (!summary.links.empty())
        card.row(node.server.empty() ? "bandwidth" : "inside", summary.text().toHtmlEscaped());
    return card.html();
}

QString linkEnds(const TopologyScene& scene, const Link& link) {
    const auto name = [&](const std::string& id) {
        const auto node = scene.graph().nodes.find(id);
        return node == scene.graph().nodes.end() ? qtText(id) : scene.names().of(node->second);
    };
    return name(link.a) + QString::fromUtf8(" — ") + name(link.b);
}

/// Between the same ends: a path takes the widest of them, and never several at once.
void addParallel(Card& card, const TopologyScene& scene, const Link& link) {
    const auto& nodes = scene.graph().nodes;
    const auto end = nodes.find(link.a);
    if (end == nodes.end()) return;
    int same = 0;
    for (const int edge : scene.graph().edgesOf(end->second)) {
        const Link& other =
            scene.cluster()
                .links[static_cast<std::size_t>(scene.graph().edges[static_cast<std::size_t>(edge)].link)];
        same += (other.a == link.a && other.b == link.b) || (other.a == link.b && other.b == link.a);
    }
    if (same > 1)
        card.row("parallel links",
                 QString("%1; a transfer takes the fastest, bandwidths are not added").arg(same));
}

/// Of links that share a line: how many, of what kinds, how fast.
void addShared(Card& card, const TopologyScene& scene, const std::vector<int>& links) {
    LinkSummary all;
    for (const int link : links) all.add(link, scene.cluster().links[static_cast<std::size_t>(link)]);
    QStringList kinds;
    for (const std::string& kind : all.kinds) kinds << kindName(kind).toHtmlEscaped();
    card.row("links", countText(links.size()))
        .row("kind", kinds.isEmpty() ? "not given" : kinds.join(", "))
        .row("bandwidth", bandwidthRange(all.minBps, all.maxBps).toHtmlEscaped() + " each")
        .row("latency", QString::fromUtf8("≤ ") + htmlText(formatSeconds(all.maxLatencyS)));
    addLoad(card, scene.metrics(), links);
}

QString meshText(const TopologyScene& scene, int index) {
    const std::vector<int>& servers = scene.layout().meshes[static_cast<std::size_t>(index)].servers;
    Card card("All to all: " + countedText(static_cast<long long>(servers.size()), "server"));
    addShared(card, scene, scene.links().meshes[static_cast<std::size_t>(index)].summary.links);
    return card.html();
}

QString hubText(const TopologyScene& scene, int index) {
    const LinkHub& hub = scene.links().hubs[static_cast<std::size_t>(index)];
    Card card("All to all in " +
              serverName(scene.layout().servers[static_cast<std::size_t>(hub.server)].name));
    addShared(card, scene, hub.summary.links);
    return card.html();
}

QString linkText(const TopologyScene& scene, int index) {
    const std::vector<int> along = scene.linksOf({TopologyItem::Kind::link, index});
    if (along.size() > 1) {
        Card card(countedText(static_cast<long long>(along.size()), "link") + " in one line");
        addShared(card, scene, along);
        return card.html();
    }
    const Link& link = scene.cluster().links[static_cast<std::size_t>(index)];
    Card card(linkEnds(scene, link).toHtmlEscaped());
    card.row("ends", htmlText(link.a) + QString::fromUtf8(" — ") + htmlText(link.b));
    addParallel(card, scene, link);
    const QString words = rateInWords(link);
    if (words.contains(QChar(0xD7))) card.row("lanes", words.toHtmlEscaped());
    card.row("kind", link.kind.empty() ? "not given" : kindName(link.kind).toHtmlEscaped())
        .row("bandwidth", htmlText(formatBandwidth(link.bandwidthBps)) + " in each direction")
        .row("latency", htmlText(formatSeconds(link.latencyS)));
    addLoad(card, scene.metrics(), {index});
    return card.html();
}

QString bundleText(const TopologyScene& scene, int index) {
    const LinkBundle& bundle = scene.links().bundles[static_cast<std::size_t>(index)];
    if (bundle.summary.links.size() == 1) return linkText(scene, bundle.summary.links.front());
    const int servers = static_cast<int>(scene.layout().servers.size());
    const auto name = [&](int end) {
        if (end < servers && scene.layout().servers[static_cast<std::size_t>(end)].isGroup())
            return groupWords(scene.cluster(), scene.layout(), end).title;
        return end < servers ? serverName(scene.layout().servers[static_cast<std::size_t>(end)].name)
                             : scene.names().ofStack(scene.layout(), end - servers).toHtmlEscaped();
    };
    Card card(name(bundle.a) + QString::fromUtf8(" — ") + name(bundle.b));
    card.row("links", countText(bundle.summary.links.size()))
        .row("bandwidth", bundle.summary.text().toHtmlEscaped() + " each")
        .row("latency", QString::fromUtf8("≤ ") + htmlText(formatSeconds(bundle.summary.maxLatencyS)));
    addLoad(card, scene.metrics(), bundle.summary.links);
    return card.html();
}

/// The stages in a box for many: one by one if they are few.
QString sharesText(const std::vector<StageShare>& shares) {
    constexpr std::size_t mostShares = 6;
    QStringList words;
    for (std::size_t i = 0; i < shares.size() && i < mostShares; ++i)
        words << (shares[i].stage < 0
                      ? countText(static_cast<std::size_t>(shares[i].devices)) + " idle"
                      : QString("stage %1 on ").arg(shares[i].stage) + countedText(shares[i].devices, "GPU"));
    if (shares.size() > mostShares) words << QString("and %1 more").arg(shares.size() - mostShares);
    return words.join(QStringLiteral("<br>"));
}

/// Of a box that represents many servers.
QString groupText(const TopologyScene& scene, int index) {
    const ServerBox& group = scene.layout().servers[static_cast<std::size_t>(index)];
    const GroupWords words = groupWords(scene.cluster(), scene.layout(), index);
    const auto count = [](std::size_t number, const char* one, const char* many = "") {
        return countedText(static_cast<long long>(number), one, many);
    };
    Card card(count(group.members.size(), "server") + " alike");
    card.row("servers", words.range.toHtmlEscaped()).row("each", words.each.toHtmlEscaped());
    if (!words.parts.isEmpty()) card.row("", words.parts.toHtmlEscaped());
    double memory = 0;
    for (const int device : group.devices)
        memory += scene.cluster().devices[static_cast<std::size_t>(device)].memoryBytes;
    card.row("together", count(group.devices.size(), "GPU") + ", " + htmlText(formatBytes(memory)));
    const LinkSummary& among = scene.links().among[static_cast<std::size_t>(index)];
    if (!among.links.empty())
        card.row("among them", count(among.links.size(), "link") + ", " + among.text().toHtmlEscaped());
    if (const std::vector<StageShare> shares = stageShares(scene, index); !shares.empty())
        card.row("plan", sharesText(shares));
    card.row("", group.open.empty() ? "a click shows one of them" : "a click folds the one shown");
    return card.html();
}

QString serverText(const TopologyScene& scene, int index) {
    const ServerBox& server = scene.layout().servers[static_cast<std::size_t>(index)];
    if (server.isGroup()) return groupText(scene, index);
    Card card(serverName(server.name));
    card.row("GPUs", QString::number(server.devices.size()));
    std::set<std::string> types;
    double memory = 0;
    for (const int device : server.devices) {
        const Device& own = scene.cluster().devices[static_cast<std::size_t>(device)];
        if (!own.gpu.empty()) types.insert(own.gpu);
        memory += own.memoryBytes;
    }
    QStringList names;
    for (const std::string& type : types) names << htmlText(type);
    if (!names.isEmpty()) card.row("type", names.join(", "));
    card.row("memory", htmlText(formatBytes(memory)));
    if (!server.switches.empty()) card.row("switches", QString::number(server.switches.size()));
    const LinkSummary& direct = scene.links().serverSummary[static_cast<std::size_t>(index)];
    if (!direct.links.empty()) {
        card.row("inside", countedText(static_cast<long long>(direct.links.size()), "link") + ", " +
                               direct.text().toHtmlEscaped());
        addLoad(card, scene.metrics(), direct.links);
    }
    return card.html();
}

}  // namespace

QString linkTitle(const TopologyScene& scene, int index) {
    const Link& link = scene.cluster().links[static_cast<std::size_t>(index)];
    return linkEnds(scene, link) + ", " + rateInWords(link);
}

QString describeStage(const Plan& plan, int index) {
    const Stage& stage = plan.stages[static_cast<std::size_t>(index)];
    const QString layers = stage.layerCount() == 1
                               ? QString("layer %1").arg(stage.firstLayer)
                               : QString::fromUtf8("layers %1–%2").arg(stage.firstLayer).arg(stage.lastLayer);
    return QString::fromUtf8("stage %1: %2 × %3").arg(index).arg(layers).arg(stage.devices.size());
}

QString describeItem(const TopologyScene& scene, TopologyItem item) {
    switch (item.kind) {
        case TopologyItem::Kind::none:
            return {};
        case TopologyItem::Kind::device:
            return deviceText(scene, item.index);
        case TopologyItem::Kind::switchNode:
            return switchText(scene, item.index);
        case TopologyItem::Kind::server:
            return serverText(scene, item.index);
        case TopologyItem::Kind::link:
            return linkText(scene, item.index);
        case TopologyItem::Kind::bundle:
            return bundleText(scene, item.index);
        case TopologyItem::Kind::mesh:
            return meshText(scene, item.index);
        case TopologyItem::Kind::hub:
            return hubText(scene, item.index);
    }
    return {};
}

}  // namespace stagecraft::views::topology
