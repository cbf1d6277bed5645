#pragma once

#include "core/planners/planner.h"

namespace stagecraft::planners {

/// XPipe: stages without replication on the GPUs as numbered, one forward and one backward in turn over
/// microbatches of any mini-batch (Fig. 1), an update after the T-th backward, weights predicted by
/// bellwethers.
std::unique_ptr<Planner> makeXpipePlanner();

}  // namespace stagecraft::planners
