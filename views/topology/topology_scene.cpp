#include "views/topology/topology_scene.h"

#include <algorithm>

namespace stagecraft {

TopologyScene::TopologyScene(Cluster cluster, std::shared_ptr<const PlanRun> run)
    : cluster_(std::move(cluster)), graph_(cluster_), layout_(layOut(cluster_, graph_)),
      links_(arrangeLinks(cluster_, graph_, layout_)) {
    setRun(std::move(run));
}

void TopologyScene::setRun(std::shared_ptr<const PlanRun> run) {
    run_ = run && !run->result.plan.stages.empty() ? std::move(run) : nullptr;
    stagesOf_.assign(cluster_.devices.size(), {});
    if (!run_) return;
    const std::vector<Stage>& stages = run_->result.plan.stages;
    for (std::size_t stage = 0; stage < stages.size(); ++stage)
        for (const int device : stages[stage].devices)
            if (device >= 0 && device < cluster_.deviceCount())
                stagesOf_[static_cast<std::size_t>(device)].push_back(static_cast<int>(stage));
}

TopologyItem TopologyScene::itemAt(QPointF point, double tolerance) const {
    using Kind = TopologyItem::Kind;
    const auto index = [](auto it, const auto& range) { return static_cast<int>(it - range.begin()); };
    const auto holds = [&](const QRectF& rect) { return rect.contains(point); };
    if (const auto it = std::find_if(layout_.devices.begin(), layout_.devices.end(), holds);
        it != layout_.devices.end())
        return {Kind::device, index(it, layout_.devices)};
    if (const auto it = std::find_if(layout_.switches.begin(), layout_.switches.end(), holds);
        it != layout_.switches.end())
        return {Kind::switchNode, index(it, layout_.switches)};

    const auto nearest = [&](const auto& lines, Kind kind) {
        TopologyItem best;
        double least = tolerance;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const QPolygonF& route = lines[i].route;
            if (!route.boundingRect().adjusted(-tolerance, -tolerance, tolerance, tolerance).contains(point))
                continue;
            const double distance = distanceTo(route, point);
            if (distance <= least) {
                least = distance;
                best = {kind, static_cast<int>(i)};
            }
        }
        return best;
    };
    if (const TopologyItem inner = nearest(links_.inner, Kind::link))
        return {Kind::link, links_.inner[static_cast<std::size_t>(inner.index)].link};
    for (std::size_t i = 0; i < layout_.servers.size(); ++i)
        if (layout_.servers[i].box.contains(point)) return {Kind::server, static_cast<int>(i)};
    return nearest(links_.bundles, Kind::bundle);
}

std::string TopologyScene::idOf(TopologyItem item) const {
    const auto i = static_cast<std::size_t>(std::max(0, item.index));
    switch (item.kind) {
        case TopologyItem::Kind::device: return cluster_.devices[i].id;
        case TopologyItem::Kind::switchNode: return cluster_.switches[i].id;
        case TopologyItem::Kind::server: return layout_.servers[i].name;
        default: return {};
    }
}

QRectF TopologyScene::rectOf(TopologyItem item) const {
    const auto i = static_cast<std::size_t>(std::max(0, item.index));
    switch (item.kind) {
        case TopologyItem::Kind::device: return layout_.devices[i];
        case TopologyItem::Kind::switchNode: return layout_.switches[i];
        case TopologyItem::Kind::server: return layout_.servers[i].box;
        default: return {};
    }
}

}  // namespace stagecraft
