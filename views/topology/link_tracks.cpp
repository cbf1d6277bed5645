#include "views/topology/link_tracks.h"

#include <QLineF>

#include <algorithm>

namespace stagecraft::views::topology {

namespace {

double distance(QPointF a, QPointF b) { return QLineF(a, b).length(); }

/// Adds a line to a track that ends at `at`, from whichever of its ends is nearer.
void append(QPolygonF& track, QPolygonF line, QPointF at) {
    if (line.isEmpty()) return;
    if (distance(line.back(), at) < distance(line.front(), at)) std::reverse(line.begin(), line.end());
    track += line;
}

/// From a way out of a server to where a line begins at the server's edge, outside.
void alongTheEdge(QPolygonF& line, const QRectF& box, QPointF port) {
    constexpr double off = 8;
    const QPointF out = line.back();
    const bool up = out.y() < box.center().y();
    const double y = up ? box.top() - off : box.bottom() + off;
    if (std::abs(port.y() - out.y()) < 1) {
        if (std::abs(port.x() - out.x()) > 0.5) line << QPointF(out.x(), y) << QPointF(port.x(), y);
    } else {
        const double x = port.x() < box.center().x() ? box.left() - off : box.right() + off;
        line << QPointF(out.x(), y) << QPointF(x, y) << QPointF(x, port.y());
    }
    line << port;
}

}  // namespace

LinkTracks::LinkTracks(const TopologyScene& scene) : scene_(scene) {}

const LinkPlace& LinkTracks::placeOf(int link) const {
    return scene_.links().places[static_cast<std::size_t>(link)];
}

const LinkBundle* LinkTracks::bundleOf(int link) const {
    const int bundle = placeOf(link).bundle;
    return bundle < 0 ? nullptr : &scene_.links().bundles[static_cast<std::size_t>(bundle)];
}

int LinkTracks::lineOf(int link) const {
    const LinkBundle* bundle = bundleOf(link);
    return bundle && !bundle->route.isEmpty() ? -1 - placeOf(link).bundle : link;
}

std::vector<LinkTracks::Line> LinkTracks::linesOf(int link) const {
    const std::vector<QPolygonF> pieces = piecesOf(link);
    if (pieces.empty()) return {};
    const LinkBundle* bundle = bundleOf(link);
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
    const LinkPlace& place = placeOf(link);
    if (place.inner >= 0) return {scene_.links().inner[static_cast<std::size_t>(place.inner)].route};
    if (place.edge < 0) return {};
    const ClusterGraph::Edge& ends = scene_.graph().edges[static_cast<std::size_t>(place.edge)];
    const TopologyLayout& layout = scene_.layout();
    if (place.hub >= 0)
        return {scene_.links().hubs[static_cast<std::size_t>(place.hub)].between(layout.rect(ends.a),
                                                                                 layout.rect(ends.b))};
    const LinkBundle* bundle = bundleOf(link);
    if (!bundle || bundle->route.isEmpty())
        return {QPolygonF({layout.shownRect(ends.a).center(), layout.shownRect(ends.b).center()})};
    // What stands for links of servers begins and ends in their boxes: from there on it is the device's.
    QPolygonF route = bundle->route;
    std::vector<QPolygonF> pieces;
    for (const ClusterNode node : {ends.a, ends.b})
        if (layout.server(node) >= 0 && !layout.isHidden(node))
            pieces.push_back(joining(node, *bundle, route));
    pieces.insert(pieces.begin(), route);
    return pieces;
}

/// From the line of a bundle to the centre of what one of its links joins, past what else is in its server.
/// @param route loses what it has inside the server
QPolygonF LinkTracks::joining(ClusterNode node, const LinkBundle& bundle, QPolygonF& route) const {
    const TopologyLayout& layout = scene_.layout();
    const QRectF& own = layout.rect(node);
    const QRectF reach = own.adjusted(-1, -1, 1, 1);
    const auto exit = std::find_if(bundle.exits.begin(), bundle.exits.end(),
                                   [&](const QPolygonF& line) { return reach.contains(line.front()); });
    QPolygonF piece;
    if (exit != bundle.exits.end()) {
        piece = *exit;
    } else {
        const int server = layout.server(node);
        const QRectF& box = layout.servers[static_cast<std::size_t>(server)].box;
        const QPointF port = leave(route, box, box.adjusted(-1, -1, 1, 1).contains(route.front()));
        if (!routes_) routes_.emplace(layout);
        piece = routes_->exit(own, server, port.y() < box.center().y(), 0.5);
        alongTheEdge(piece, box, port);
    }
    std::reverse(piece.begin(), piece.end());
    return piece << own.center();
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
    QPolygonF track({layout.shownRect(node).center()});
    for (const int link : links) {
        if (placeOf(link).edge < 0) return {};
        const ClusterGraph::Edge& edge = scene_.graph().edges[static_cast<std::size_t>(placeOf(link).edge)];
        if (!(edge.a == node) && !(edge.b == node)) return {};
        const std::vector<QPolygonF> pieces = piecesOf(link);
        const QPointF from = layout.shownRect(node).center();
        node = edge.a == node ? edge.b : edge.a;
        const QPointF to = layout.shownRect(node).center();
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

}  // namespace stagecraft::views::topology
