#pragma once

#include "views/timeline/gantt_scene.h"

class QPainter;
class QPainterPath;

namespace stagecraft::views {

/// All but what was found is faint.
void paintHits(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
/// A line between the rows that are pinned and those that scroll.
void paintPinnedEdge(QPainter& painter, const GanttScene& scene, const QRect& area);
/// How busy servers are whose lanes are collapsed.
void paintHeatBands(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
/// Outlines of the critical path, with lines where it passes from one lane to another.
void paintCriticalPath(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
/// An idle stretch and the chain of blocks that it waits for, while the rest is faint.
void paintIdleCause(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
/// The selected block and its arrows. @returns what the arrows cover
QPainterPath paintSelection(QPainter& painter, const GanttScene& scene, const QRect& area,
                            const TimeAxis& axis);
/// What has not begun by the step is faint, what runs is outlined.
void paintStep(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);

}  // namespace stagecraft::views
