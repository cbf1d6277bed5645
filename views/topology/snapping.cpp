#include "views/topology/snapping.h"

#include <array>
#include <cmath>

namespace stagecraft::views {
namespace {

struct Match {
    double by = 0;
    std::optional<double> line;
};

using Lines = std::array<double, 3>;

/// The shortest way on which one of the dragged lines meets one of the others within reach.
Match nearest(const Lines& dragged, const std::vector<Lines>& others, double reach) {
    Match best;
    double least = reach;
    for (const Lines& lines : others)
        for (const double other : lines)
            for (const double own : dragged)
                if (const double way = std::abs(other - own); way < least || (way == least && !best.line)) {
                    least = way;
                    best = {other - own, other};
                }
    return best;
}

Lines across(const QRectF& rect) { return {rect.left(), rect.center().x(), rect.right()}; }
Lines down(const QRectF& rect) { return {rect.top(), rect.center().y(), rect.bottom()}; }

double toGrid(double value) {
    return std::round(value / SnapHabits::gridStep) * SnapHabits::gridStep - value;
}

}  // namespace

Snapped snap(const QRectF& dragged, const std::vector<QRectF>& others, const SnapHabits& habits,
             double reach) {
    Snapped result;
    if (habits.grid) result.by = {toGrid(dragged.left()), toGrid(dragged.top())};
    if (!habits.guides) return result;
    std::vector<Lines> xs, ys;
    for (const QRectF& other : others) {
        xs.push_back(across(other));
        ys.push_back(down(other));
    }
    constexpr double agreed = 0.01;
    const QRectF placed = dragged.translated(result.by);
    const Match x = nearest(across(placed), xs, habits.grid ? agreed : reach);
    const Match y = nearest(down(placed), ys, habits.grid ? agreed : reach);
    result.guideX = x.line;
    result.guideY = y.line;
    if (!habits.grid) result.by = {x.by, y.by};
    return result;
}

}  // namespace stagecraft::views
