#pragma once

#include "app/rooms.h"
#include "core/runs/plan_run.h"

#include <QRectF>

class QPainter;

namespace stagecraft::app::start {

/// A small picture of a problem: its servers and GPUs, its layers, and, once there is a run, the schedule,
/// with GPUs and layers in the colours of their stages.
void paintProblem(QPainter& painter, const QRectF& area, const Problem& problem, const PlanRun* run);

}  // namespace stagecraft::app::start
