#pragma once

#include "app/rooms.h"
#include "core/model/plan.h"
#include "core/model/problem.h"
#include "core/training/comparison.h"

#include <stop_token>
#include <string>

namespace stagecraft::app::training {

struct PlannedProblem {
    Problem problem;  ///< in a mode that the planner plans for
    Plan plan;
};

/// A planner's plan to train through, without a barrier only if it plans for that: the stages are what
/// counts, and each policy brings its own mode.
/// @throws training::TrainingError if the planner has none; Cancelled
PlannedProblem planToTrain(Problem problem, const std::string& plannerId, std::stop_token stop = {});

/// Whose stages are trained where there is no plan.
inline constexpr const char* usualStages = "gpipe";

/// What is trained, in sentences: data, network, stages, optimizer, mini-batches.
/// @throws training::TrainingError if plan and settings do not go together
std::string trainingText(const Problem& problem, const Plan& plan,
                         const stagecraft::training::TrainingSettings& settings, int seeds);

}  // namespace stagecraft::app::training
