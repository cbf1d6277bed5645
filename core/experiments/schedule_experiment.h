#pragma once

#include "core/experiments/experiment.h"
#include "core/model/problem.h"

namespace stagecraft::experiments {

/// A problem as Experiment::base.
std::string baseOf(const Problem& problem);

/// Every schedule family on stages of equal time, over one, two, four and eight microbatches a device.
/// @param problem that is varied
Experiment schedulesOverMicrobatches(const Problem& problem);

}  // namespace stagecraft::experiments
