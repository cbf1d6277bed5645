#pragma once

#include "views/figures/plot_frame.h"

#include <qcustomplot.h>

namespace stagecraft::views::plot {

/// A printed line as it is on the screen.
QPen shownPen(const Stroke& stroke);

/// A sign of a chart, of that radius in pixels, with a thin edge in the colour of what is under it.
QCPScatterStyle signStyle(std::size_t kind, double radius, const QColor& fill, const QColor& under);

/// A line, or its points with a style for them. A place that is no number is a gap.
QCPGraph* addGraph(const QCPAxisRect& axes, const std::vector<QPointF>& points, const QPen& pen);

/// What is between two lines.
void addBand(const QCPAxisRect& axes, const std::vector<QPointF>& lower, const std::vector<QPointF>& upper,
             const QColor& fill);

}  // namespace stagecraft::views::plot
