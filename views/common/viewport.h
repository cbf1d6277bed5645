#pragma once

#include "views/rooms.h"

#include <QPointF>
#include <QRectF>

namespace stagecraft::views::common {

/// Corners of a smaller radius, in pixels, are drawn square: nobody sees the difference.
inline constexpr double leastCorner = 2;

/// How far a view can be zoomed out and in.
struct ScaleLimits {
    double least = 0.02;
    double greatest = 8;
};

/// Scene to screen: screen = scene * scale + offset.
struct Viewport {
    double scale = 1;
    QPointF offset;

    QPointF toScreen(QPointF scene) const { return scene * scale + offset; }
    QPointF toScene(QPointF screen) const { return (screen - offset) / scale; }
    QRectF toScreen(const QRectF& scene) const { return {toScreen(scene.topLeft()), scene.size() * scale}; }
    QRectF toScene(const QRectF& screen) const { return {toScene(screen.topLeft()), screen.size() / scale}; }

    /// The scene point under `screen` stays under it.
    void zoomAt(QPointF screen, double factor, ScaleLimits limits = {});
    /// Shows all of `scene` in the middle of `screen`, enlarged at most `most` times.
    void fit(const QRectF& scene, const QRectF& screen, double most, ScaleLimits limits = {});
    bool operator==(const Viewport&) const = default;
};

}  // namespace stagecraft::views::common
