#pragma once

#include "core/training/program.h"

namespace stagecraft::training {

/// How old the weights are that a stage uses, in updates of its own that come between them and the update
/// that the gradient enters; means over the second half of the mini-batches, where the pipeline runs
/// steadily.
struct StageStaleness {
    double forward = 0, backward = 0;
    /// Updates that a prediction anticipates from them.
    double forwardAhead = 0, backwardAhead = 0;
    bool operator==(const StageStaleness&) const = default;
};

/// By stage.
std::vector<StageStaleness> stalenessOf(const Program& program, int stages);

}  // namespace stagecraft::training
