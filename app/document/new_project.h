#pragma once

#include "core/model/problem.h"

namespace stagecraft::app {

/// What a project starts with that was made in the window: nothing but a setup, with enough microbatches for
/// a pipeline to be worth it.
inline Problem newProblem() {
    constexpr int microbatches = 8;
    Problem problem;
    problem.setup.microbatches = microbatches;
    return problem;
}

}  // namespace stagecraft::app
