#pragma once

#include "core/base/parameters.h"
#include "core/training/training_run.h"

namespace stagecraft::training {

/// What can be chosen about a training, described once: the window's fields, the command line's options and
/// their help are made from it. On the command line a name has dashes: "batch-size".
const std::vector<Parameter>& trainingParameters();

struct TrainingChoice {
    TrainingSettings settings;
    int seeds = 1;
};
/// The parameters that the values spell; those that are missing have their default.
/// @param microbatches of a mini-batch of the plan, each of which gets a sample at least where the size of
/// mini-batches is left open
TrainingChoice trainingChoice(const ParameterValues& values, int microbatches);

}  // namespace stagecraft::training
