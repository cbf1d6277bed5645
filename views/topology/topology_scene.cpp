#include "views/topology/topology_scene.h"

#include "views/topology/cluster_layout.h"
#include "views/topology/route_lanes.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace stagecraft::views::topology {

namespace {

bool namesAreAlike(const Cluster& one, const Cluster& other) {
    const auto sameServer = [](const auto& a, const auto& b) { return a.server == b.server; };
    return one.devices.isAlike(other.devices, sameServer) && one.switches.isAlike(other.switches, sameServer);
}

/// Of two that are joined alike: whether layoutOfParts() is the same of both.
bool havePartsAlike(const Cluster& one, const Cluster& other) {
    return namesAreAlike(one, other) &&
           one.links.isAlike(other.links, [](const Link& a, const Link& b) { return a.kind == b.kind; });
}

}  // namespace

TopologyScene::TopologyScene(Cluster cluster, std::shared_ptr<const PlanRun> run,
                             std::set<std::string> openServers, FoldChoice folding,
                             const TopologyScene* before)
    : cluster_(std::move(cluster)), openServers_(std::move(openServers)), folding_(std::move(folding)) {
    const bool joinedAlike = before && areJoinedAlike(cluster_, before->cluster_);
    graph_ = joinedAlike ? before->graph_ : std::make_shared<const ClusterGraph>(cluster_);
    if (joinedAlike && havePartsAlike(cluster_, before->cluster_)) {
        parts_ = before->parts_;
        if (before->alike_) alike_ = before->alike_->after(before->cluster_, cluster_);
    } else {
        parts_ = std::make_shared<const TopologyLayout>(layoutOfParts(cluster_, *graph_));
    }
    if (!alike_ && wantsFolds(*parts_, folding_))
        alike_ = std::make_shared<const LikeParts>(cluster_, *graph_, *parts_);
    layout_ = layOutParts(cluster_, *graph_, *parts_, alike_.get(), openServers_, folding_);
    names_ =
        joinedAlike && namesAreAlike(cluster_, before->cluster_) && layout_.roles == before->layout_.roles
            ? before->names_
            : std::make_shared<const NodeNames>(cluster_, layout_);
    links_ = arrangeLinks(cluster_, *graph_, layout_);
    if (!joinedAlike || !before->mistakes_.empty() || !isStillWithoutMistakes(cluster_, before->cluster_))
        mistakes_ = clusterMistakes(cluster_);
    spreadIntoLanes(links_.bundles, layout_);
    setRun(std::move(run));
}

void TopologyScene::setRun(std::shared_ptr<const PlanRun> run) {
    run_ = run && !run->result.plan.stages.empty() ? std::move(run) : nullptr;
    stagesOf_.clear();
    if (!run_) return;
    stagesOf_.resize(cluster_.devices.size());
    const std::vector<Stage>& stages = run_->result.plan.stages;
    for (std::size_t stage = 0; stage < stages.size(); ++stage)
        for (const int device : stages[stage].devices)
            if (device >= 0 && device < cluster_.deviceCount())
                stagesOf_[static_cast<std::size_t>(device)].push_back(static_cast<int>(stage));
}

std::vector<StageShare> stageShares(const TopologyScene& scene, int server) {
    if (!scene.plan()) return {};
    std::vector<int> counts(static_cast<std::size_t>(scene.plan()->stageCount()));
    int idle = 0;
    for (const int device : scene.layout().servers[static_cast<std::size_t>(server)].devices) {
        idle += scene.stagesOf(device).empty();
        for (const int stage : scene.stagesOf(device)) ++counts[static_cast<std::size_t>(stage)];
    }
    std::vector<StageShare> shares;
    for (std::size_t stage = 0; stage < counts.size(); ++stage)
        if (counts[stage] > 0) shares.push_back({static_cast<int>(stage), counts[stage]});
    if (idle > 0) shares.push_back({-1, idle});
    return shares;
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

    // At any zoom there is as much of a thing to point at as of a line.
    if (const TopologyItem small = smallItemAt(point, tolerance)) return small;

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
    for (std::size_t i = 0; i < layout_.meshes.size(); ++i)
        if (layout_.meshes[i].hub.contains(point)) return {Kind::mesh, static_cast<int>(i)};
    if (const TopologyItem inner = nearest(links_.inner, Kind::link))
        return {Kind::link, links_.inner[static_cast<std::size_t>(inner.index)].link};
    for (std::size_t i = 0; i < links_.hubs.size(); ++i)
        if (links_.hubs[i].label.contains(point) || distanceTo(links_.hubs[i].routes, point) <= tolerance)
            return {Kind::hub, static_cast<int>(i)};
    // Lines that leave a server are in its box too.
    for (std::size_t i = 0; i < links_.bundles.size(); ++i)
        for (const QPolygonF& exit : links_.bundles[i].exits)
            if (distanceTo(exit, point) <= tolerance) return {Kind::bundle, static_cast<int>(i)};
    for (std::size_t i = 0; i < layout_.servers.size(); ++i)
        if (layout_.servers[i].box.contains(point)) return {Kind::server, static_cast<int>(i)};
    for (std::size_t i = 0; i < links_.meshes.size(); ++i)
        if (distanceTo(links_.meshes[i].routes, point) <= tolerance) return {Kind::mesh, static_cast<int>(i)};
    if (const TopologyItem bundle = nearest(links_.bundles, Kind::bundle)) return bundle;
    // From afar its name is above the box.
    for (std::size_t i = 0; i < layout_.servers.size(); ++i) {
        const QRectF& box = layout_.servers[i].box;
        const QRectF name(box.topLeft() - QPointF(0, 3 * tolerance), QSizeF(8 * tolerance, 3 * tolerance));
        if (tolerance > 0 && name.contains(point)) return {Kind::server, static_cast<int>(i)};
    }
    return {};
}

/// The nearest device or switch that is drawn smaller than twice the tolerance and no farther than that.
TopologyItem TopologyScene::smallItemAt(QPointF point, double tolerance) const {
    TopologyItem best;
    double least = 0;
    const auto consider = [&](const QRectF& rect, TopologyItem item) {
        const double x = std::max(0.0, tolerance - rect.width() / 2);
        const double y = std::max(0.0, tolerance - rect.height() / 2);
        if ((x == 0 && y == 0) || !rect.adjusted(-x, -y, x, y).contains(point)) return;
        const QPointF way = rect.center() - point;
        const double distance = std::hypot(way.x(), way.y());
        if (best && distance >= least) return;
        least = distance;
        best = item;
    };
    for (std::size_t i = 0; i < layout_.switches.size(); ++i)
        if (layout_.isDrawn(static_cast<int>(i)))
            consider(layout_.switches[i], {TopologyItem::Kind::switchNode, static_cast<int>(i)});
    for (std::size_t i = 0; i < layout_.devices.size(); ++i)
        if (!layout_.devices[i].isEmpty())
            consider(layout_.devices[i], {TopologyItem::Kind::device, static_cast<int>(i)});
    return best;
}

std::string TopologyScene::idOf(TopologyItem item) const {
    const auto i = static_cast<std::size_t>(std::max(0, item.index));
    switch (item.kind) {
        case TopologyItem::Kind::device:
            return cluster_.devices[i].id;
        case TopologyItem::Kind::switchNode:
            return cluster_.switches[i].id;
        case TopologyItem::Kind::server:
            return layout_.servers[i].name;
        default:
            return {};
    }
}

const std::string& TopologyScene::idOf(ClusterNode node) const {
    const auto i = static_cast<std::size_t>(node.index);
    return node.kind == ClusterNode::Kind::device ? cluster_.devices[i].id : cluster_.switches[i].id;
}

ClusterSelection TopologyScene::partIn(const QRectF& area) const {
    ClusterSelection part;
    for (std::size_t i = 0; i < layout_.devices.size(); ++i)
        if (layout_.shownRect({ClusterNode::Kind::device, static_cast<int>(i)}).intersects(area))
            part.devices.push_back(static_cast<int>(i));
    for (std::size_t i = 0; i < layout_.switches.size(); ++i)
        if (layout_.shownRect({ClusterNode::Kind::switchNode, static_cast<int>(i)}).intersects(area))
            part.switches.push_back(static_cast<int>(i));
    if (!part.isEmpty()) return part;
    std::set<int> links;
    const auto isInside = [&area](const QPolygonF& route) {
        return !route.isEmpty() && area.contains(route.boundingRect().adjusted(0, 0, 0.1, 0.1));
    };
    for (const InnerLink& inner : links_.inner)
        if (isInside(inner.route)) links.insert(inner.link);
    for (const LinkBundle& bundle : links_.bundles)
        if (isInside(bundle.route)) links.insert(bundle.summary.links.begin(), bundle.summary.links.end());
    part.links.assign(links.begin(), links.end());
    return part;
}

int TopologyScene::serverAt(QPointF point) const {
    for (std::size_t i = 0; i < layout_.servers.size(); ++i)
        if (layout_.servers[i].box.contains(point))
            return layout_.servers[i].isGroup() ? -1 : static_cast<int>(i);
    return -1;
}

ClusterSelection TopologyScene::serverSelection(int server) const {
    const ServerBox& box = layout_.servers[static_cast<std::size_t>(server)];
    ClusterSelection part{box.devices, box.switches, {}};
    std::sort(part.devices.begin(), part.devices.end());
    std::sort(part.switches.begin(), part.switches.end());
    return part;
}

std::vector<int> TopologyScene::linksOf(TopologyItem item) const {
    const auto i = static_cast<std::size_t>(std::max(0, item.index));
    switch (item.kind) {
        case TopologyItem::Kind::link:
            return linksAlong(item.index);
        case TopologyItem::Kind::bundle:
            return links_.bundles[i].summary.links;
        case TopologyItem::Kind::mesh:
            return links_.meshes[i].summary.links;
        case TopologyItem::Kind::hub:
            return links_.hubs[i].summary.links;
        default:
            return {};
    }
}

LinkSummary TopologyScene::linksOfSwitch(int index) const {
    const ClusterNode self{ClusterNode::Kind::switchNode, index};
    LinkSummary summary;
    for (const int edge : graph_->edgesOf(self)) {
        const int link = graph_->edges[static_cast<std::size_t>(edge)].link;
        if (layout_.server(self) < 0 || layout_.server(graph_->other(edge, self)) == layout_.server(self))
            summary.add(link, cluster_.links[static_cast<std::size_t>(link)]);
    }
    return summary;
}

/// The link and those inside its server whose lines lie upon its own, ascending.
std::vector<int> TopologyScene::linksAlong(int link) const {
    const auto own = std::find_if(links_.inner.begin(), links_.inner.end(),
                                  [link](const InnerLink& inner) { return inner.link == link; });
    if (own == links_.inner.end()) return {link};
    std::vector<int> all;
    for (const InnerLink& inner : links_.inner)
        if (inner.route == own->route) all.push_back(inner.link);
    std::sort(all.begin(), all.end());
    return all;
}

QPointF TopologyScene::middleOfLink(int link) const {
    const auto middle = [](const QPolygonF& route) {
        const qsizetype half = route.size() / 2;
        return route.size() % 2 || half == 0 ? route.value(half) : (route[half - 1] + route[half]) / 2;
    };
    for (const InnerLink& inner : links_.inner)
        if (inner.link == link) return middle(inner.route);
    if (const LinkPlace& place = links_.places[static_cast<std::size_t>(link)]; place.hub >= 0) {
        const ClusterGraph::Edge& ends = graph_->edges[static_cast<std::size_t>(place.edge)];
        return middle(links_.hubs[static_cast<std::size_t>(place.hub)].between(layout_.rect(ends.a),
                                                                               layout_.rect(ends.b)));
    }
    for (const LinkBundle& bundle : links_.bundles)
        if (!bundle.route.isEmpty() &&
            std::binary_search(bundle.summary.links.begin(), bundle.summary.links.end(), link))
            return middle(bundle.route);
    return boundsOfLink(link).center();
}

QRectF TopologyScene::boundsOfLink(int link) const {
    for (const InnerLink& inner : links_.inner)
        if (inner.link == link) return inner.route.boundingRect().adjusted(-4, -4, 4, 4);
    for (const ClusterGraph::Edge& edge : graph_->edges)
        if (edge.link == link) return layout_.shownRect(edge.a) | layout_.shownRect(edge.b);
    return {};
}

Cluster TopologyScene::pinned(const ClusterSelection& moved) const {
    Cluster cluster = cluster_;
    if (hasFolds(layout_)) {
        const auto pinAll = [&](const std::vector<int>& which, const auto& nodes, ClusterNode::Kind kind) {
            for (const int i : which) {
                const QPointF middle = layout_.shownRect({kind, i}).center();
                cluster.layout.try_emplace(nodes[static_cast<std::size_t>(i)].id,
                                           Point{middle.x(), middle.y()});
            }
        };
        pinAll(moved.devices, cluster_.devices, ClusterNode::Kind::device);
        pinAll(moved.switches, cluster_.switches, ClusterNode::Kind::switchNode);
        return cluster;
    }
    const auto pin = [&cluster](const std::string& id, const QRectF& rect) {
        cluster.layout.try_emplace(id, Point{rect.center().x(), rect.center().y()});
    };
    for (std::size_t i = 0; i < layout_.devices.size(); ++i) pin(cluster_.devices[i].id, layout_.devices[i]);
    for (std::size_t i = 0; i < layout_.switches.size(); ++i)
        pin(cluster_.switches[i].id, layout_.switches[i]);
    return cluster;
}

QRectF TopologyScene::rectOf(TopologyItem item) const {
    const auto i = static_cast<std::size_t>(std::max(0, item.index));
    switch (item.kind) {
        case TopologyItem::Kind::device:
            return layout_.shownRect({ClusterNode::Kind::device, item.index});
        case TopologyItem::Kind::switchNode:
            return layout_.shownRect({ClusterNode::Kind::switchNode, item.index});
        case TopologyItem::Kind::server:
            return layout_.servers[i].box;
        case TopologyItem::Kind::mesh:
            return layout_.meshes[i].hub;
        default:
            return {};
    }
}

ClusterSelection TopologyScene::partOf(TopologyItem item) const {
    switch (item.kind) {
        case TopologyItem::Kind::device:
            return {{item.index}, {}, {}};
        case TopologyItem::Kind::switchNode:
            return {{}, switchesWith(item.index), {}};
        case TopologyItem::Kind::server:
            return serverSelection(item.index);
        case TopologyItem::Kind::link:
        case TopologyItem::Kind::bundle:
        case TopologyItem::Kind::mesh:
        case TopologyItem::Kind::hub:
            return {{}, {}, linksOf(item)};
        case TopologyItem::Kind::none:
            break;
    }
    return {};
}

/// Those drawn in the same box, ascending.
std::vector<int> TopologyScene::switchesWith(int index) const {
    const int stack = layout_.stackOf[static_cast<std::size_t>(index)];
    if (stack < 0) return {index};
    std::vector<int> all = layout_.stacks[static_cast<std::size_t>(stack)].members;
    std::sort(all.begin(), all.end());
    return all;
}

std::optional<std::string> TopologyScene::serverToOpen(QPointF point) const {
    const TopologyItem item = itemAt(point, 0);
    if (item.kind == TopologyItem::Kind::server) {
        const ServerBox& server = layout_.servers[static_cast<std::size_t>(item.index)];
        return server.fold.contains(point) ? std::optional(server.name) : std::nullopt;
    }
    if (item.kind != TopologyItem::Kind::switchNode) return std::nullopt;
    const int stack = layout_.stackOf[static_cast<std::size_t>(item.index)];
    if (stack < 0 || !layout_.stacks[static_cast<std::size_t>(stack)].isFolded ||
        layout_.isNetworkFold(layout_.stacks[static_cast<std::size_t>(stack)]))
        return std::nullopt;
    return cluster_.switches[static_cast<std::size_t>(item.index)].server;
}

std::optional<ClusterNode> TopologyScene::nodeOf(TopologyItem item) {
    if (item.kind == TopologyItem::Kind::device) return ClusterNode{ClusterNode::Kind::device, item.index};
    if (item.kind == TopologyItem::Kind::switchNode)
        return ClusterNode{ClusterNode::Kind::switchNode, item.index};
    return std::nullopt;
}

}  // namespace stagecraft::views::topology
