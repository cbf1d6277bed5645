#pragma once

#include "views/topology/topology_scene.h"
#include "views/common/viewport.h"

#include <QColor>
#include <QFont>
#include <QPainter>

namespace stagecraft::views::topology {

/// What another view wants to show on the cluster: data alone, in indices of the cluster that is shown.
struct TopologyOverlay {
    struct Line {
        int link = 0;
        QColor colour;
        double width = 3;  ///< pixels
        QString label;     ///< empty: none
        double bytes = 0;  ///< instead of the label: added up over the links that share a line
    };
    struct Mark {
        int device = 0;
        QColor colour;
    };
    std::vector<Line> lines;  ///< of several that share a line as drawn the widest shows
    std::vector<Mark> marks;  ///< highlighted devices
    std::vector<int> order;   ///< devices that are numbered, with a path through them

    bool isEmpty() const { return lines.empty() && marks.empty() && order.empty(); }
};

/// An overlay with its lines looked up in a scene, ready to be painted through any viewport.
class PlacedOverlay {
public:
    PlacedOverlay() = default;
    PlacedOverlay(TopologyOverlay overlay, const TopologyScene& scene);

    bool isEmpty() const { return overlay_.isEmpty(); }
    const TopologyOverlay& overlay() const { return overlay_; }
    /// The polylines that are drawn, in scene units.
    std::size_t routeCount() const { return routes_.size(); }

    /// Lines and the path of the order: what is below devices and switches.
    void paintBelow(QPainter& painter, const Viewport& viewport, const QRectF& screen) const;
    /// Marks, numbers and labels.
    void paintAbove(QPainter& painter, const TopologyScene& scene, const Viewport& viewport,
                    const QRectF& screen, QFont font) const;

private:
    struct Route {
        std::vector<QPolygonF> pieces;
        QColor colour;
        double width = 0;
        QString label;
        double bytes = 0;
        QPointF middle;
    };
    void paintMarks(QPainter& painter, const TopologyScene& scene, const Viewport& viewport,
                    const QRectF& screen) const;
    void paintNumbers(QPainter& painter, const TopologyScene& scene, const Viewport& viewport,
                      const QRectF& screen, QFont font) const;
    void paintLabels(QPainter& painter, const Viewport& viewport, const QRectF& screen, QFont font) const;

    TopologyOverlay overlay_;
    std::vector<Route> routes_;  ///< the widest last
};

}  // namespace stagecraft::views::topology
