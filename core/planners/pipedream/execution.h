#pragma once

#include "core/planners/pipedream/pipedream_parameters.h"

namespace stagecraft::planners {

/// Under asynchronous training replicas take turns unless they are set to split.
bool replicasTakeTurns(const PipeDreamChoices& choices, TrainingMode mode);

/// Between two updates; double buffering may need more.
int microbatchesPerUpdate(const PipeDreamChoices& choices, const TrainingSetup& setup);

/// Microbatches that one replica of each stage has begun and not finished at most, which is also how many
/// versions of the weights it needs under stashing (E-PD-4); NOAM is that of the first stage.
std::vector<int> inFlightPerReplica(const std::vector<Stage>& stages, int extra);

/// Fills in schedule, weight policy and mini-batches of a plan whose stages are known, with notes that say
/// them.
void addExecution(const PipeDreamChoices& choices, const TrainingSetup& setup, PlanningResult& result);

}  // namespace stagecraft::planners
