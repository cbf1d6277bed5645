#pragma once

#include "app/rooms.h"
#include "core/runs/plan_run.h"

#include <QString>

namespace stagecraft::app::plan {

/// What a change did to time and peak memory: "+2.1 % time (585 ms), worse; −0.80 GiB peak (5.66 GiB on
/// s3.g1), better". Where another number of samples is trained in an iteration their rate is compared. Both
/// runs must be ok.
QString effectOf(const PlanRun& before, const PlanRun& after);

}  // namespace stagecraft::app::plan
