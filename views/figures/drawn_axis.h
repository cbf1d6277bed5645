#pragma once

#include "core/model/timeline.h"
#include "views/figures/axis.h"

#include <cstddef>

namespace stagecraft::views::figures {

/// What the time axis of a schedule counts in.
enum class FigureAxis {
    seconds,
    blocks,  ///< one forward pass of a microbatch through a stage, as papers draw schedules
    none,
};

/// In which unit seconds are written.
enum class TimeUnit { automatic, seconds, milliseconds, microseconds };

/// What one forward pass takes: the median over the timeline's forwards. Seconds; 0 if there is none.
double forwardBlockS(const Timeline& timeline);

struct DrawnTimeAxis {
    FigureAxis counts = FigureAxis::seconds;
    double blockS = 0;  ///< under FigureAxis::blocks
    double fontPt = 7;
    TimeUnit unit = TimeUnit::automatic;
    bool countsBlocks() const { return counts == FigureAxis::blocks && blockS > 0; }
    bool hidden = false;     ///< of it the grid lines alone are drawn, though room for its numbers is kept
    double gridToS = 1e300;  ///< grid lines end with what is drawn
    QString title;           ///< instead of "time ({unit})", with that placeholder if it likes
};

/// Where time may end on a page `widthMm` wide, so that the last number on the axis, half of which is beyond
/// its tick, stays on the page. @param time with where it begins
double timeEndMm(FigureScale time, const DrawnTimeAxis& axis, double widthMm);

/// Draws the axis at yMm with its title; the grid lines, which begin at gridTopMm, are under everything
/// from the item `gridPosition` on. @return where it ends
double addTimeAxis(Figure& figure, const FigureScale& time, const DrawnTimeAxis& axis, double yMm,
                   double gridTopMm, std::size_t gridPosition);

}  // namespace stagecraft::views::figures
