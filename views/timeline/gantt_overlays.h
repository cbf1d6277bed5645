#pragma once

#include "views/timeline/gantt_scene.h"

#include <QColor>
#include <QFont>

class QPainter;
class QPainterPath;

namespace stagecraft::views::timeline {

/// Finds the arrows of the selected block between blocks that have a row.
void findArrows(GanttScene& scene);

/// Of the band above the lanes, in pixels: for the phases of plans whose mini-batches overlap, and for the
/// notes if there are any.
int heightAboveLanes(const GanttScene& scene);
/// Phases and notes above the lanes that are drawn in `area`, and lines down to what the notes are about.
void paintBand(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
/// The note whose flag is at a position; -1: none.
int noteAt(const GanttScene& scene, const QRect& area, const TimeAxis& axis, const QFont& font,
           QPointF position);
/// A note for the card under the pointer, as rich text.
QString noteCard(const GanttScene& scene, int note);

/// All but what was found is faint.
void paintHits(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
/// What a plan foresaw: outlines over the lanes in view where they are wide enough to be told apart.
void paintPlanned(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
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
/// Lies over blocks that have not begun.
QColor comingVeil();
/// What has not begun by the step is faint, what runs is outlined.
void paintStep(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);

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

}  // namespace stagecraft::views::timeline
