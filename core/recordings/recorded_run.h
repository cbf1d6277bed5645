#pragma once

#include "core/model/recording.h"
#include "core/runs/plan_run.h"

namespace stagecraft::recordings {

/// A simulated plan as a recording: its timeline and what its blocks wait for.
/// @param run must be ok()
Recording recordedRun(const PlanRun& run);

}  // namespace stagecraft::recordings
