#pragma once

#include "core/schedules/schedule_family.h"

#include <vector>

namespace stagecraft::schedules {

/// `warmUp` forwards (at most all), then a forward and a backward in turn, then the backwards that are left.
std::vector<StageOp> warmUpOrder(int warmUp, int microbatches);
/// The same of input gradients; weight gradients are still to be put in.
std::vector<StageOp> splitWarmUpOrder(int warmUp, int microbatches);

/// Stage s of p warms up with p - 1 - s forwards, so that p - s microbatches are in flight at most (DAPPLE,
/// III-A; PipeDream-Flush).
std::vector<StageOp> oneForwardOneBackwardOrder(int stage, int stages, int microbatches,
                                                const ScheduleParameters& parameters);
/// PipeDream's 1F1B-RR: a replica keeps replicaInFlight() microbatches at most.
std::vector<StageOp> roundRobinOrder(const ReplicaPlace& place, int microbatches,
                                     const ScheduleParameters& parameters);
/// ceil(N / r) microbatches, N being the replicas of a stage and all later ones and r its own (E-PD-4: NOAM
/// on the first stage). The parameter "extra_in_flight" adds to N for each later stage: between two stages as
/// many more are under way, which hides transfers. 1 makes it DAPPLE's second policy.
int replicaInFlight(const ReplicaPlace& place, const ScheduleParameters& parameters);

/// Replicas of a stage that take microbatches in turn; 1 if they split each.
int replicasInTurn(const Stage& stage);

/// Where a replica of that stage is among the stages of its pipeline.
ReplicaPlace replicaPlaceOf(const std::vector<Stage>& stages, int stage);

/// Microbatches that a stage holds at most under 1F1B-RR, over all of its replicas; the most of all stages.
int mostInFlight(const std::vector<Stage>& stages, const ScheduleParameters& parameters);

}  // namespace stagecraft::schedules
