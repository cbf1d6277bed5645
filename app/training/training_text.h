#pragma once

#include "core/training/comparison.h"

#include <string>

namespace stagecraft::app {

/// What is trained, in sentences: data, network, stages, optimizer, mini-batches.
/// @throws training::TrainingError if plan and settings do not go together
std::string trainingText(const Problem& problem, const Plan& plan, const training::TrainingSettings& settings,
                         int seeds);

}  // namespace stagecraft::app
