#pragma once

#include "core/training/comparison.h"

#include <ostream>

namespace stagecraft {

/// What is trained, in one sentence: data, network, stages, optimizer, mini-batches.
void printTrainingSetting(const Problem& problem, const Plan& plan,
                          const training::TrainingSettings& settings, const training::Comparison& comparison,
                          std::ostream& out);

/// A row for each policy: mean and standard deviation over the seeds, and the difference to the synchronous
/// runs where there are some.
void printTrainingSummary(const std::vector<training::PolicyRuns>& runs, std::ostream& out);

}  // namespace stagecraft
