#pragma once

#include "views/profile/graph/network_picture.h"

#include <QColor>
#include <QPainter>

namespace stagecraft::views::profile {

/// What a person points at and has chosen; -1: none.
struct NetworkFocus {
    int hoveredNode = -1;
    int selectedLayer = -1;
};

/// Paints a network: groups, edges, nodes. What is too small to be told apart is left out or simplified.
class NetworkPainter {
public:
    /// @param painter paints in units of the layout
    /// @param longestS the time of a node whose bar is full
    NetworkPainter(QPainter& painter, const NetworkPicture& picture, NetworkFocus focus, double scale,
                   double longestS);

    /// @param seen what is in view, in units of the layout
    void paint(const QRectF& seen);

private:
    QColor colourOf(int layer) const;
    void paintGroups(const QRectF& seen);
    void paintEdges(const QRectF& seen);
    void paintNodes(const QRectF& seen);
    void paintNode(int node, bool withText);

    QPainter& painter_;
    const NetworkPicture& picture_;
    NetworkFocus focus_;
    double scale_;
    double longestS_;
};

}  // namespace stagecraft::views::profile
