#pragma once

#include "core/base/rooms.h"

#include <QPointF>
#include <QRectF>

#include <optional>
#include <vector>

namespace stagecraft::views {

/// What a dragged thing is drawn to.
struct SnapHabits {
    bool grid = true;
    bool guides = true;
    static constexpr double gridStep = 8;  ///< scene units
};

/// Where a dragged rectangle ends up, and the lines along which it then aligns with others.
struct Snapped {
    QPointF by;                    ///< to add to where it was dragged to
    std::optional<double> guideX;  ///< a vertical line
    std::optional<double> guideY;
};

/// Pulls `dragged` onto the grid, or, where there is none, until an edge or middle of it aligns with one of
/// `others`' not farther than `reach` away. With the grid on a guide is shown where both agree.
Snapped snap(const QRectF& dragged, const std::vector<QRectF>& others, const SnapHabits& habits,
             double reach);

}  // namespace stagecraft::views
