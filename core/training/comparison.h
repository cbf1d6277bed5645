#pragma once

#include "core/training/program.h"
#include "core/training/training.h"

#include <string>
#include <vector>

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

/// Several policies on the same plan, each from the same seeds.
struct Comparison {
    std::vector<Policy> policies;
    int seeds = 1;  ///< 0, 1, …
    int jobs = 1;   ///< threads; the results are the same for any number
    /// Leaves out a policy under which the plan cannot be trained; else that is an error.
    bool whereverPossible = false;
};

struct PolicyRuns {
    Policy policy = Policy::synchronous;
    std::string refusal;                    ///< why it was left out; then there are no runs
    std::vector<TrainingRun> runs;          ///< by seed; of one that was stopped what it had reached
    std::vector<StageStaleness> staleness;  ///< by stage
};

/// Called one at a time, from whatever thread; one that does not return pauses all.
struct ComparisonCallbacks {
    std::stop_token stop;
    /// Before anything is trained, of each policy once: without runs, but with staleness or the refusal.
    std::function<void(const PolicyRuns& runs, int iterations)> prepared;
    /// As in TrainingCallbacks.
    std::function<void(Policy policy, int seed, int iteration, double loss)> batch;
    std::function<void(Policy policy, int seed, const EpochResult& result)> epoch;
    std::function<void(Policy policy, int seed, const TrainingRun& run)> finished;
};

/// In the order of the policies. @throws TrainingError before anything is trained; SimulationError; Cancelled
std::vector<PolicyRuns> compare(const Problem& problem, const Plan& plan, const TrainingSettings& settings,
                                const Comparison& comparison, const ComparisonCallbacks& callbacks = {});

/// Mean and sample standard deviation over the seeds.
struct SeedSpread {
    double mean = 0;       ///< of no value: not a number
    double deviation = 0;  ///< 0 for less than two
    int count = 0;
    bool operator==(const SeedSpread&) const = default;
};
SeedSpread spreadOf(const std::vector<double>& values);

/// What XPipe's Tables I and II report of a method, and where it ended. Runs without an epoch do not count.
struct PolicySummary {
    Policy policy = Policy::synchronous;
    SeedSpread leastLoss, bestAccuracy;  ///< over the epochs, of the validation
    SeedSpread lastLoss, lastAccuracy;
    int diverged = 0;  ///< runs whose last loss is no finite number; they are in no mean of losses
};
PolicySummary summaryOf(const PolicyRuns& runs);

/// How much better a policy does than another, seed by seed and over the epochs that both have: means and
/// deviations of the differences.
struct PairedDifference {
    SeedSpread leastLoss, bestAccuracy;
};
PairedDifference differenceOf(const PolicyRuns& runs, const PolicyRuns& baseline);

/// A row for each policy, seed and epoch: policy,seed,epochs_done,training_loss,training_accuracy,
/// validation_loss,validation_accuracy. Numbers have as many digits as distinguish them.
std::string curvesCsv(const std::vector<PolicyRuns>& runs);

}  // namespace stagecraft::training
