#pragma once

#include "core/model/problem.h"
#include "core/training/policy.h"
#include "core/training/program.h"
#include "core/training/training_settings.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft::training {

class SmallNetwork;
struct DataSet;

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

/// What is trained, and on what.
struct Trainee {
    std::shared_ptr<const SmallNetwork> network;
    std::shared_ptr<const DataSet> data;
};
/// @throws TrainingError if the settings do not go together, or the network has too few layers for the plan
Trainee traineeFor(const Plan& plan, const TrainingSettings& settings);

/// A plan made ready to train under one policy: immutable, so that threads may share one.
struct PreparedTraining {
    Policy policy = Policy::synchronous;
    TrainingSettings settings;
    Plan plan;  ///< with the policy's schedule and weights
    std::shared_ptr<const SmallNetwork> network;
    std::shared_ptr<const DataSet> data;
    std::vector<StageLayerRange> layers;  ///< of the network, by stage
    Program program;
    int iterationsPerEpoch = 0;

    int iterations() const { return iterationsPerEpoch * settings.epochs; }
};

/// Simulates the plan under the policy for as many mini-batches as the training has.
/// @throws TrainingError if plan, policy and settings do not go together; SimulationError; Cancelled
PreparedTraining prepareTraining(const Problem& problem, const Plan& plan, Policy policy,
                                 const TrainingSettings& settings, std::stop_token stop = {});

/// Trains from the seed's initial weights, on the seed's order of samples, which is the same under every
/// policy. One thread; the same input gives the same bits.
/// @throws Cancelled
TrainingRun train(const PreparedTraining& prepared, std::uint64_t seed,
                  const TrainingCallbacks& callbacks = {});

}  // namespace stagecraft::training
