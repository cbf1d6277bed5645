#pragma once

#include "views/figures/figure.h"

#include <QImage>

namespace stagecraft {

/// Where a figure is in a picture, in the picture's own pixels.
struct LayerPlace {
    QPointF origin;  ///< of the figure's corner
    double pixelsPerMm = 1;
};

/// Draws as paintFigure() does, but in the time of a frame: upright rectangles and lines are filled here, a
/// shape that is there many times is drawn once, and bands and lines of many corners are filled column by
/// column. @param picture opaque, Format_RGB32
void paintLayer(QImage& picture, const Figure& figure, const LayerPlace& place);

}  // namespace stagecraft
