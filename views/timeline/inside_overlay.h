#pragma once

#include "views/timeline/gantt_scene.h"

#include <QColor>

class QPainter;

namespace stagecraft::views::timeline {

/// A strip along the lower edge of passes that are wide enough: dark while something is sent within the
/// group; above it how, in words a little smaller than the painter's font, where there is room.
void paintInsides(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
/// The same along the lower edge of a block of that colour, for a legend.
void paintInsideSample(QPainter& painter, const QRectF& block, const QColor& colour);
/// Of a strip while something is sent.
QColor insideColour();

}  // namespace stagecraft::views::timeline
