#pragma once

#include "views/common/viewport.h"

#include <QPainter>
#include <QPixmap>

#include <array>
#include <functional>
#include <optional>

namespace stagecraft::views::topology {

/// The middles of the sides of a device or switch, from which links are drawn. In pixels, as all here.
class CanvasPorts {
public:
    /// @param tile of what is pointed at; too small a one has none
    explicit CanvasPorts(const QRectF& tile);

    bool isEmpty() const { return tile_.isEmpty(); }
    /// The port within reach of the pointer.
    std::optional<QPointF> at(QPointF pointer) const;
    void paint(QPainter& painter) const;

private:
    std::array<QPointF, 4> points() const;

    QRectF tile_;
};

/// The dots that things are drawn to.
void paintGrid(QPainter& painter, const Viewport& viewport, const QRectF& screen);
/// In place of a cluster: how to come by one.
void paintNoCluster(QPainter& painter, const QRect& room, const QFont& font);

/// A picture in two layers that are painted only when they no longer hold: what does not depend on the
/// pointer, and upon it what does.
class CanvasLayers {
public:
    using Paint = std::function<void(QPainter&)>;

    void forgetAll() { backgroundHolds_ = false; }
    void forgetForeground() { foregroundHolds_ = false; }
    /// Both layers at a size, painted as far as needed.
    const QPixmap& picture(QSize size, double pixelRatio, const Paint& paintBackground,
                           const Paint& paintForeground);

private:
    QPixmap background_, picture_;
    bool backgroundHolds_ = false, foregroundHolds_ = false;
};

}  // namespace stagecraft::views::topology
