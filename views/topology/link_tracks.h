#pragma once

#include "views/topology/topology_scene.h"

#include <QPolygonF>

#include <unordered_map>
#include <vector>

namespace stagecraft::views {

/// Where links are drawn: alone in a server, in the line of a bundle, or straight. In scene units; the scene
/// must outlive it.
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
    static QPointF leave(QPolygonF& route, const QRectF& box, bool atFront);

    const TopologyScene& scene_;
    std::unordered_map<int, std::size_t> inner_, bundle_, edge_;  // by link
};

}  // namespace stagecraft::views
