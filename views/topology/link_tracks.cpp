#include "views/topology/link_tracks.h"

#include <QLineF>

#include <algorithm>

namespace stagecraft::views {

namespace {

double distance(QPointF a, QPointF b) { return QLineF(a, b).length(); }

/// Adds a line to a track that ends at `at`, from whichever of its ends is nearer.
void append(QPolygonF& track, QPolygonF line, QPointF at) {
    if (line.isEmpty()) return;
    if (distance(line.back(), at) < distance(line.front(), at)) std::reverse(line.begin(), line.end());
    track += line;
}

}  // namespace

LinkTracks::LinkTracks(const TopologyScene& scene) : scene_(scene) {
    const TopologyLinks& links = scene.links();
    for (std::size_t i = 0; i < links.inner.size(); ++i) inner_.emplace(links.inner[i].link, i);
    for (std::size_t i = 0; i < links.bundles.size(); ++i)
        for (const int link : links.bundles[i].summary.links) bundle_.emplace(link, i);
    for (std::size_t i = 0; i < scene.graph().edges.size(); ++i)
        edge_.emplace(scene.graph().edges[i].link, i);
}

int LinkTracks::lineOf(int link) const {
    const auto found = bundle_.find(link);
    const bool shared = found != bundle_.end() && !scene_.links().bundles[found->second].route.isEmpty();
    return shared ? -1 - static_cast<int>(found->second) : link;
}

std::vector<LinkTracks::Line> LinkTracks::linesOf(int link) const {
    const auto found = bundle_.find(link);
    const std::vector<QPolygonF> pieces = piecesOf(link);
    if (pieces.empty()) return {};
    const LinkBundle* bundle = found == bundle_.end() ? nullptr : &scene_.links().bundles[found->second];
    if (!bundle || bundle->mesh < 0) return {{lineOf(link), pieces}};
    const int bundles = static_cast<int>(scene_.links().bundles.size());
    const std::vector<int>& servers = scene_.layout().meshes[static_cast<std::size_t>(bundle->mesh)].servers;
    std::vector<Line> lines;
    for (const int server : {bundle->a, bundle->b}) {
        const auto place = std::lower_bound(servers.begin(), servers.end(), server) - servers.begin();
        const QPolygonF& spoke = scene_.links()
                                     .meshes[static_cast<std::size_t>(bundle->mesh)]
                                     .routes[static_cast<std::size_t>(place)];
        Line& line = lines.emplace_back(Line{-1 - bundles - server, {spoke}});
        const QRectF& box = scene_.layout().servers[static_cast<std::size_t>(server)].box;
        for (std::size_t i = 1; i < pieces.size(); ++i)
            if (box.contains(pieces[i].back())) line.pieces.push_back(pieces[i]);
    }
    return lines;
}

std::vector<QPolygonF> LinkTracks::piecesOf(int link) const {
    if (const auto found = inner_.find(link); found != inner_.end())
        return {scene_.links().inner[found->second].route};
    const auto edge = edge_.find(link);
    if (edge == edge_.end()) return {};
    const ClusterGraph::Edge& ends = scene_.graph().edges[edge->second];
    const TopologyLayout& layout = scene_.layout();
    const auto bundle = bundle_.find(link);
    if (bundle == bundle_.end() || scene_.links().bundles[bundle->second].route.isEmpty())
        return {QPolygonF({layout.rect(ends.a).center(), layout.rect(ends.b).center()})};
    // What stands for links of servers begins and ends in their boxes: from there on it is the device's.
    QPolygonF route = scene_.links().bundles[bundle->second].route;
    std::vector<QPolygonF> pieces;
    for (const ClusterNode node : {ends.a, ends.b}) {
        if (layout.server(node) < 0) continue;
        const QRectF reach = layout.rect(node).adjusted(-1, -1, 1, 1);
        const std::vector<QPolygonF>& exits = scene_.links().bundles[bundle->second].exits;
        const auto own = std::find_if(exits.begin(), exits.end(),
                                      [&](const QPolygonF& exit) { return reach.contains(exit.front()); });
        if (own != exits.end()) {
            QPolygonF piece = *own;
            std::reverse(piece.begin(), piece.end());
            pieces.push_back(piece << layout.rect(node).center());
            continue;
        }
        const QRectF& box = layout.servers[static_cast<std::size_t>(layout.server(node))].box;
        const bool atFront = box.adjusted(-1, -1, 1, 1).contains(route.front());
        pieces.push_back(QPolygonF({leave(route, box, atFront), layout.rect(node).center()}));
    }
    pieces.insert(pieces.begin(), route);
    return pieces;
}

/// Cuts off what one end of the line has inside the box. @return the point where it now ends
QPointF LinkTracks::leave(QPolygonF& route, const QRectF& box, bool atFront) {
    if (!atFront) std::reverse(route.begin(), route.end());
    while (route.size() > 2 && box.contains(route[1])) route.removeFirst();
    if (box.contains(route[0]) && !box.contains(route[1])) {
        const QLineF line(route[0], route[1]);
        const QLineF sides[] = {{box.topLeft(), box.topRight()},
                                {box.topRight(), box.bottomRight()},
                                {box.bottomRight(), box.bottomLeft()},
                                {box.bottomLeft(), box.topLeft()}};
        for (const QLineF& side : sides)
            if (QPointF at; line.intersects(side, &at) == QLineF::BoundedIntersection) route[0] = at;
    }
    const QPointF end = route[0];
    if (!atFront) std::reverse(route.begin(), route.end());
    return end;
}

QPolygonF LinkTracks::along(int device, const std::vector<int>& links) const {
    ClusterNode node{ClusterNode::Kind::device, device};
    const TopologyLayout& layout = scene_.layout();
    QPolygonF track({layout.rect(node).center()});
    for (const int link : links) {
        const auto found = edge_.find(link);
        if (found == edge_.end()) return {};
        const ClusterGraph::Edge& edge = scene_.graph().edges[found->second];
        if (!(edge.a == node) && !(edge.b == node)) return {};
        const std::vector<QPolygonF> pieces = piecesOf(link);
        const QPointF from = layout.rect(node).center();
        node = edge.a == node ? edge.b : edge.a;
        const QPointF to = layout.rect(node).center();
        // The piece that joins the device which it comes from to the line, the line, and the other one's.
        const auto joining = [&](QPointF centre) {
            const auto piece = std::find_if(pieces.begin() + 1, pieces.end(),
                                            [&](const QPolygonF& it) { return it.back() == centre; });
            return piece == pieces.end() ? QPolygonF() : *piece;
        };
        append(track, joining(from), from);
        append(track, pieces.front(), track.back());
        append(track, joining(to), track.back());
        track << to;
    }
    return track;
}

}  // namespace stagecraft::views
