#pragma once

#include "views/topology/topology_layout.h"

#include <QPolygonF>

namespace stagecraft::views {

/// Lines between laid-out things that keep clear of what is between them.
class LinkRoutes {
public:
    explicit LinkRoutes(const TopologyLayout& layout) : layout_(layout) {}

    /// From a switch to what is below it in a server: a tree with right angles.
    /// @param isShared the lower one hangs on more switches than this
    QPolygonF inside(ClusterNode a, ClusterNode b, bool isShared) const;
    /// Between two devices of a server: straight to a neighbour, else an arc below the row.
    QPolygonF direct(ClusterNode a, ClusterNode b) const;
    /// From a network switch to a server or another switch.
    QPolygonF toSwitch(const QRectF& a, const QRectF& b) const;
    /// From a thing to itself: a mistake that has to be seen to be taken away.
    static QPolygonF loop(const QRectF& around);
    /// A curve that bends around the servers between the two, as far as one can.
    QPolygonF betweenServers(int a, int b) const;

private:
    const TopologyLayout& layout_;
};

}  // namespace stagecraft::views
