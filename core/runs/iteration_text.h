#pragma once

#include "core/runs/plan_run.h"

#include <string>

namespace stagecraft::runs {

/// How long the iteration takes, and how that goes together with what the chart shows: an iteration is the
/// microbatches that the setup asks for, a mini-batch what the plan does between two updates. "531 ms"; where
/// a plan has mini-batches of its own or runs on without a barrier, "6.57 s = 32 mini-batches of 205 ms; the
/// chart shows 26, to 5.30 s". The run must be ok.
std::string iterationText(const PlanRun& run);

/// So many mini-batches of the plan, and what one is: "1 mini-batch (1 microbatch)", "1 mini-batch (the
/// iteration)", "3 mini-batches (2 microbatches each)".
std::string miniBatchesText(const PlanRun& run, int count);

}  // namespace stagecraft::runs
