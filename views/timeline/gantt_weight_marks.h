#pragma once

#include "views/timeline/gantt_scene.h"

#include <QColor>

class QPainter;

namespace stagecraft::views {

/// Updates that take no time, and the first pass of each mini-batch where it predicts weights.
void paintUpdates(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
void paintBellwethers(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
/// Of the selected block; without one and with `scene.predictions` all that are in view, if they are few
/// enough to be told apart. In a scene that is stepped through: those that are still to come true.
void paintWeightArrows(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
/// Signs that the chart and its legend share.
void drawUpdateMark(QPainter& painter, QPointF top, double height);
void drawBellwether(QPainter& painter, QPointF corner, double side, const QColor& colour);
QColor weightArrowColour();

}  // namespace stagecraft::views
