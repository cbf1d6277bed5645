#pragma once

#include "core/training/data_set.h"
#include "core/training/network.h"
#include "core/training/program.h"
#include "core/training/training_run.h"

#include <cstdint>
#include <memory>

namespace stagecraft::training {

/// What is trained, and on what.
struct Trainee {
    std::shared_ptr<const Network> network;
    std::shared_ptr<const DataSet> data;
};
/// @throws TrainingError if the settings do not go together, or the network has too few layers for the plan
Trainee traineeFor(const Plan& plan, const TrainingSettings& settings);

/// A plan made ready to train under one policy: immutable, so that threads may share one.
struct PreparedTraining {
    Policy policy = Policy::synchronous;
    TrainingSettings settings;
    Plan plan;  ///< with the policy's schedule and weights
    std::shared_ptr<const Network> network;
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
