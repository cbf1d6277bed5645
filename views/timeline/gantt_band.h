#pragma once

#include "views/timeline/gantt_scene.h"

#include <QFont>

class QPainter;

namespace stagecraft::views {

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

}  // namespace stagecraft::views
