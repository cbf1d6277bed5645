#pragma once

#include "views/common/viewport.h"
#include "views/topology/topology_layout.h"

#include <QPainter>
#include <QPixmap>

namespace stagecraft::views::topology {

/// All of a cluster in a corner of the canvas where not all of it is in view, and what part is.
class TopologyOverview {
public:
    /// Not drawn where it is not wanted.
    void setWanted(bool wanted) { wanted_ = wanted; }
    bool isWanted() const { return wanted_; }
    /// Another cluster or another look: draws anew.
    void forget() { picture_ = {}; }

    /// In the canvas; empty if there is none: the whole picture is in view.
    QRectF rect(const TopologyLayout& layout, const Viewport& viewport, const QRectF& screen) const;
    /// The point of the scene that a point of the overview shows.
    static QPointF toScene(const TopologyLayout& layout, const QRectF& rect, QPointF at);
    void paint(QPainter& painter, const TopologyLayout& layout, const Viewport& viewport,
               const QRectF& screen);

private:
    void draw(const TopologyLayout& layout, QSizeF size, double pixelRatio);

    bool wanted_ = true;
    QPixmap picture_;
};

}  // namespace stagecraft::views::topology
