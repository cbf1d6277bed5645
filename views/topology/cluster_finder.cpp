#include "views/topology/cluster_finder.h"

#include "views/common/text.h"
#include "views/topology/canvas_tool.h"

namespace stagecraft::views::topology {
namespace {

constexpr std::size_t mostFound = 100;

}  // namespace

ClusterFinder::ClusterFinder(const TopologyScene& scene) {
    const Cluster& cluster = scene.cluster();
    for (std::size_t i = 0; i < scene.layout().servers.size(); ++i) {
        QString name = "Server " + qtText(scene.layout().servers[i].name);
        if (scene.layout().servers[i].isGroup()) {
            const GroupWords words = groupWords(cluster, scene.layout(), static_cast<int>(i));
            name = words.number + " servers " + words.each + ", " + words.range;
        }
        things_.push_back({name, {}, name, scene.serverSelection(static_cast<int>(i))});
    }
    const auto add = [&](ClusterNode node, const QString& id, const QString& server, const QString& type,
                         ClusterSelection part) {
        const QString& name = scene.names().of(node);
        QString text = server.isEmpty() ? name : name + QString::fromUtf8(" · ") + server;
        if (name != id) text += QString::fromUtf8(" · ") + id;
        things_.push_back({text, type, text + ' ' + type, std::move(part)});
    };
    for (int i = 0; i < cluster.deviceCount(); ++i) {
        const Device& device = cluster.devices[static_cast<std::size_t>(i)];
        add({ClusterNode::Kind::device, i}, qtText(device.id), qtText(device.server), qtText(device.gpu),
            {{i}, {}, {}});
    }
    for (int i = 0; i < static_cast<int>(cluster.switches.size()); ++i) {
        const Switch& node = cluster.switches[static_cast<std::size_t>(i)];
        add({ClusterNode::Kind::switchNode, i}, qtText(node.id), qtText(node.server), {}, {{}, {i}, {}});
    }
}

std::vector<PickEntry> ClusterFinder::find(const QString& words) const {
    std::vector<PickEntry> found;
    for (std::size_t i = 0; i < things_.size() && found.size() < mostFound; ++i)
        if (hasWords(things_[i].all, words))
            found.push_back({things_[i].name, things_[i].tip, static_cast<int>(i)});
    return found;
}

}  // namespace stagecraft::views::topology
