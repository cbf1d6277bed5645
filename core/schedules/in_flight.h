#pragma once

#include "core/schedules/schedule_family.h"

#include <vector>

namespace stagecraft::schedules {

/// Replicas of a stage that take microbatches in turn; 1 if they split each.
int replicasInTurn(const Stage& stage);

/// Where a replica of that stage is among the stages of its pipeline.
ReplicaPlace replicaPlaceOf(const std::vector<Stage>& stages, int stage);

/// Microbatches that a stage holds at most under 1F1B-RR, over all of its replicas; the most of all stages.
int mostInFlight(const std::vector<Stage>& stages, const ScheduleParameters& parameters);

}  // namespace stagecraft::schedules
