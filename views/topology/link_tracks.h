#pragma once

#include "views/topology/link_routes.h"
#include "views/topology/topology_scene.h"

#include <QPolygonF>

#include <optional>
#include <vector>

namespace stagecraft::views::topology {

/// Where links are drawn: alone in a server, along its hub, in the line of a bundle, or straight. In scene
/// units; the scene must outlive it.
class LinkTracks {
public:
    explicit LinkTracks(const TopologyScene& scene);

    /// A line, with a number that is the same for all links that share it, and what joins it to devices that
    /// are apart from its ends.
    struct Line {
        int number = 0;
        std::vector<QPolygonF> pieces;
    };
    /// Of a link between servers of a mesh two, to the hub and from it; else one.
    std::vector<Line> linesOf(int link) const;
    /// The line itself, and what joins it to devices that are apart from its ends.
    std::vector<QPolygonF> piecesOf(int link) const;
    /// From the centre of a device along links that follow each other, to the centre of what the last one
    /// joins. Empty if they do not.
    QPolygonF along(int device, const std::vector<int>& links) const;

private:
    int lineOf(int link) const;
    const LinkPlace& placeOf(int link) const;
    const LinkBundle* bundleOf(int link) const;
    QPolygonF joining(ClusterNode node, const LinkBundle& bundle, QPolygonF& route) const;
    static QPointF leave(QPolygonF& route, const QRectF& box, bool atFront);

    const TopologyScene& scene_;
    mutable std::optional<LinkRoutes> routes_;  // made when first needed
};

}  // namespace stagecraft::views::topology
