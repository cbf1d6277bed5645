#pragma once

#include "views/timeline/gantt_scene.h"

#include <QFont>

#include <vector>

class QPainter;

namespace stagecraft {

/// Start-up, steady state and drain, in the band above the lanes; the part over which the time per mini-batch
/// is measured has a bracket.
void paintPhases(QPainter& painter, const GanttScene& scene, const QRect& band, const TimeAxis& axis);
/// Flags in the band above the lanes, and lines down to what they are about.
void paintNotes(QPainter& painter, const GanttScene& scene, const QRect& band, const QRect& area,
                const TimeAxis& axis);
/// Where the flags stand, in the order of the notes; a flag has as much of its text as fits before the next.
std::vector<QRectF> noteFlags(const GanttScene& scene, const QRect& band, const TimeAxis& axis,
                              const QFont& font);

}  // namespace stagecraft
