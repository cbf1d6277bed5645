#pragma once

#include "views/figures/figure.h"

#include <QImage>

namespace stagecraft::views::experiments {

/// Where a figure is in a picture, in the picture's own pixels.
struct LayerPlace {
    QPointF origin;  ///< of the figure's corner
    double pixelsPerMm = 1;
};

/// Draws as paintFigure() does, but in the time of a frame: upright rectangles and lines are filled here, a
/// shape that is there many times is drawn once, and bands and lines of many corners are filled column by
/// column. This is what an experiment's results are drawn with: tests/bench/results_bench pans lines of 2,000
/// points in 3.4 ms and 20,000 points of a front in 4.4, where QCustomPlot takes 59 (without smoothing) and
/// 8.3; bars take 4.1 to its 5.3, and heat maps 3.0 to its 1.4, with numbers and hatches that it does not
/// draw.
/// @param picture opaque, Format_RGB32
void paintLayer(QImage& picture, const Figure& figure, const LayerPlace& place);

}  // namespace stagecraft::views::experiments
