#pragma once

#include "core/training/comparison.h"

#include <ostream>

namespace stagecraft::app {

/// A row for each policy: mean and standard deviation over the seeds, and the difference to the synchronous
/// runs where there are some.
void printTrainingSummary(const std::vector<training::PolicyRuns>& runs, std::ostream& out);

}  // namespace stagecraft::app
