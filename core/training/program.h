#pragma once

#include "core/training/policy.h"
#include "core/training/stage_layers.h"
#include "core/weights/weight_use.h"

#include <cstdint>
#include <vector>

namespace stagecraft::training {

enum class StepKind : std::uint8_t { forward, backward, update };

struct Step {
    StepKind kind = StepKind::forward;
    int stage = 0;
    int iteration = 0;
    int microbatch = -1;  ///< -1: an update
    WeightUse weights;    ///< of a pass
    /// No later pass of the stage uses a version below this one.
    int oldestNeeded = 0;
};

/// A timeline as a list of what is computed, in the order of its instants: a pass when it starts, an update
/// when it ends. The trained network is a chain: where the plan's own profile has branches, a pass waits in
/// the list for the stage before it, and uses the weights of its own instant all the same.
struct Program {
    std::vector<Step> steps;
    std::vector<bool> recomputes;  ///< by stage: its backwards run the forward again, with their own weights
    int iterations = 0;
    int microbatches = 0;
    /// The iterations that follow are the same again: a barrier is between them.
    bool repeats = false;
};

/// @param layers what each stage holds of the trained network: gradients of layers that several stages hold
/// are added up
/// @throws TrainingError if a pass needs a version that does not exist, or passes wait for each other in a
/// circle because the plan's own profile is no chain
Program programOf(const Plan& plan, const Timeline& timeline, Policy policy,
                  const std::vector<StageLayerRange>& layers);

}  // namespace stagecraft::training
