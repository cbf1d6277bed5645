#include "app/panels/bandwidth_reason.h"

#include "core/base/units.h"
#include "views/common/text.h"

#include <QObject>

#include <algorithm>

namespace stagecraft::app::panels {
namespace {

/// "GPU 1", and of which server where the other end is not in that.
QString nameOf(const TopologyScene& scene, ClusterNode node, ClusterNode other) {
    const int server = scene.layout().server(node);
    const QString& name = scene.names().of(node);
    if (server < 0 || server == scene.layout().server(other)) return name;
    return QObject::tr("%1 in %2")
        .arg(name, qtText(scene.layout().servers[static_cast<std::size_t>(server)].name));
}

/// "PCIe link of GPU 1 to PCIe switch 0".
QString linkWords(const TopologyScene& scene, const Link& link) {
    const auto node = [&scene](const std::string& id) { return scene.graph().nodes.at(id); };
    ClusterNode a = node(link.a), b = node(link.b);
    if (b.kind == ClusterNode::Kind::device && a.kind != ClusterNode::Kind::device) std::swap(a, b);
    QString kind = link.kind.empty() ? QString() : kindName(link.kind);
    // "NVLink" says it already.
    if (!kind.endsWith(QLatin1String("link"), Qt::CaseInsensitive)) kind += QObject::tr(" link");
    return QObject::tr("%1 of %2 to %3").arg(kind.trimmed(), nameOf(scene, a, b), nameOf(scene, b, a));
}

}  // namespace

BandwidthReason bandwidthReason(const TopologyScene& scene, const Interconnect& interconnect, int a, int b) {
    const Cluster& cluster = scene.cluster();
    const ClusterNode from{ClusterNode::Kind::device, a}, to{ClusterNode::Kind::device, b};
    const QString ends = QObject::tr("from %1 to %2").arg(nameOf(scene, from, to), nameOf(scene, to, from));
    const std::vector<int> path = a == b ? std::vector<int>() : interconnect.path(a, b);
    if (path.empty()) return {QObject::tr("No path %1.").arg(ends), -1};
    const auto rate = [&](int link) { return cluster.links[static_cast<std::size_t>(link)].bandwidthBps; };
    const int narrowest =
        *std::min_element(path.begin(), path.end(), [&](int x, int y) { return rate(x) < rate(y); });
    const auto alike =
        std::count_if(path.begin(), path.end(), [&](int link) { return rate(link) == rate(narrowest); });
    const Link& link = cluster.links[static_cast<std::size_t>(narrowest)];
    QString words = QObject::tr("%1 %2: %3, %4.")
                        .arg(qtText(formatBandwidth(link.bandwidthBps)), ends, linkWords(scene, link),
                             link.source.empty() ? QObject::tr("written by hand") : qtText(link.source));
    const auto all = static_cast<long>(path.size());
    if (alike == 2 && all == 2)
        words += QObject::tr(" Both links of its path are as narrow.");
    else if (alike > 1)
        words += alike == all
                     ? QObject::tr(" All %1 links of its path are as narrow.").arg(all)
                     : QObject::tr(" %1 of the %2 links of its path are as narrow.").arg(alike).arg(all);
    return {words, narrowest};
}

}  // namespace stagecraft::app::panels
