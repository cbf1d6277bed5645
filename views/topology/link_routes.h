#pragma once

#include "views/topology/topology_layout.h"

#include <QPolygonF>

#include <optional>

namespace stagecraft::views::topology {

/// Lines between laid-out things that keep clear of what is between them, at right angles wherever they can.
class LinkRoutes {
public:
    explicit LinkRoutes(const TopologyLayout& layout);

    /// Between a switch and another switch or a device of the same server.
    /// @param isShared the lower one hangs on more switches than this
    QPolygonF inside(ClusterNode a, ClusterNode b, bool isShared) const;
    /// Between two devices of a server that has no channel for it: straight.
    QPolygonF direct(ClusterNode a, ClusterNode b) const;
    /// From a box in a server to the server's upper or lower edge. @param share where it leaves the box: 0 at
    /// its left edge, 1 at its right
    QPolygonF exit(const QRectF& from, int server, bool up, double share) const;
    /// From a network switch to a server or another switch. @param port x at which it reaches the server
    QPolygonF toSwitch(const QRectF& a, const QRectF& b, std::optional<double> port = {}) const;
    /// Whether a switch is an upright bar beside a server, to which lines go in the street below it.
    static bool isBeside(const QRectF& server, const QRectF& bar) {
        return isUprightBar(bar) && server.bottom() <= bar.bottom() + 1 && server.top() >= bar.top() - 1 &&
               (server.right() <= bar.left() || bar.right() <= server.left());
    }
    /// From a thing to itself: a mistake that has to be seen to be taken away.
    static QPolygonF loop(const QRectF& around);
    /// Through the streets, straight to a neighbour.
    QPolygonF betweenServers(int a, int b) const;

private:
    struct Obstacles {
        std::vector<QRectF> boxes;
        std::vector<QRectF> titles;  ///< of the server and its sockets
        double firstRow = 0;         ///< top of the uppermost devices
    };
    int hits(const QPolygonF& line, int server, const QRectF& a, const QRectF& b) const;
    QPolygonF leastBlocked(const std::vector<QPolygonF>& lines, int server, const QRectF& a,
                           const QRectF& b) const;
    QPolygonF fewestHits(const std::vector<QPolygonF>& lines, int server, const QRectF& a,
                         const QRectF& b) const;
    std::vector<QPolygonF> throughGaps(const QRectF& upper, const QRectF& lower, int server) const;
    QPolygonF toUprightBar(const QRectF& server, const QRectF& bar, double port) const;
    QPolygonF toBar(const QRectF& upper, const QRectF& lower, int server, double share) const;
    std::vector<double> streetsBetween(QPointF from, QPointF to) const;
    QPolygonF alongARow(const QRectF& a, const QRectF& b) const;
    QPolygonF besideEachOther(const QRectF& a, const QRectF& b, int server) const;
    double crossingShare(ClusterNode upper, int server, bool isShared) const;

    const TopologyLayout& layout_;
    std::vector<Obstacles> obstacles_;  ///< by server
    std::vector<QRectF> network_;       ///< servers and switches of the network
};

}  // namespace stagecraft::views::topology
