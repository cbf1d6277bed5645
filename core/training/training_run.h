#pragma once

#include "core/model/problem.h"
#include "core/training/policy.h"
#include "core/training/training_settings.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft::training {

/// Why the plan cannot be trained under the policy, or nothing. Looks at the first mini-batches alone, so
/// that it is quick. @throws Cancelled
std::optional<std::string> whyUntrainable(const Problem& problem, const Plan& plan, Policy policy,
                                          const TrainingSettings& settings, std::stop_token stop = {});

struct EpochResult {
    int epochsDone = 0;           ///< from 1
    double trainingLoss = 0;      ///< mean over the epoch's samples, as their forwards found them
    double trainingAccuracy = 0;  ///< in [0, 1]
    double validationLoss = 0;    ///< with the weights after the epoch's last update on each stage
    double validationAccuracy = 0;
    bool operator==(const EpochResult&) const = default;
};

/// All are called on the thread that trains; one that does not return pauses it.
struct TrainingCallbacks {
    std::stop_token stop;  ///< looked at before each pass
    /// A mini-batch has gone forward through the whole network; the loss is the mean over its samples.
    std::function<void(int iteration, double loss)> batch;
    std::function<void(const EpochResult& result)> epoch;
};

struct TrainingRun {
    std::vector<EpochResult> epochs;
    /// By mini-batch: mean over its samples, as its forwards found them.
    std::vector<double> batchLosses;
    std::vector<double> weights;  ///< of all layers in order, after the last update

    void addBatchLoss(int iteration, double loss);
};

}  // namespace stagecraft::training
