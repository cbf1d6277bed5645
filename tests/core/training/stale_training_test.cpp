// Training with old weights, against the same written down without a pipeline: in steady state on S stages of
// equal times, with one microbatch per mini-batch, stage s is S - 1 - s updates behind at a forward.
#include "core/simulation/simulator.h"
#include "tests/support/every_room.h"
#include "tests/core/training/small_training.h"

#include <gtest/gtest.h>

namespace stagecraft::training {
namespace {

using test::PlainTraining;

constexpr int stages = 4;

int seenAtForward(int stage, int iteration) { return std::max(0, iteration - (stages - 1 - stage)); }

PreparedTraining prepared(Policy policy, OptimizerKind optimizer = OptimizerKind::sgd,
                          VersionDifference difference = VersionDifference::exact) {
    TrainingSettings settings = test::quickSettings(optimizer);
    settings.difference = difference;
    return prepareTraining(test::unitProblem(stages, 1), test::unitPlan(stages), policy, settings);
}

/// Each stage's part out of the weights that `of` gives for it.
Vector mixed(const PreparedTraining& training, const std::function<Vector(int stage)>& of) {
    Vector all(training.network->weightCount());
    for (int stage = 0; stage < stages; ++stage) {
        const StageLayerRange& layers = training.layers[static_cast<std::size_t>(stage)];
        const Eigen::Index first = training.network->firstWeight(layers.first);
        const Eigen::Index count = training.network->firstWeight(layers.end) - first;
        all.segment(first, count) = of(stage).segment(first, count);
    }
    return all;
}

using VersionOf = std::function<int(int stage, int iteration)>;

void expectVersions(Policy policy, const VersionOf& forward, const VersionOf& backward) {
    SCOPED_TRACE(describe(policy).id);
    const PreparedTraining training = prepared(policy);
    PlainTraining plain(training, 3);
    const auto mixedBy = [&](const VersionOf& version) -> test::WeightsFor {
        return [&plain, &training, version](int iteration) {
            return mixed(training, [&](int stage) {
                return plain.versions.at(static_cast<std::size_t>(version(stage, iteration)));
            });
        };
    };
    plain.run(mixedBy(forward), mixedBy(backward));
    EXPECT_LT(test::difference(test::weightsOf(train(training, 3)), plain.versions.back()), test::rounding);
}

TEST(StaleTraining, UsesTheVersionsThatThePolicyNames) {
    const VersionOf newest = [](int, int iteration) { return iteration; };
    const VersionOf ofInput = [](int, int iteration) { return seenAtForward(0, iteration); };
    expectVersions(Policy::stashing, seenAtForward, seenAtForward);
    expectVersions(Policy::noStashing, seenAtForward, newest);
    expectVersions(Policy::verticalSync, ofInput, ofInput);
}

TEST(StaleTraining, DoubleBufferingIsOneUpdateBehind) {
    const PreparedTraining training =
        prepareTraining(test::unitProblem(stages, stages), test::unitPlan(stages), Policy::doubleBuffer,
                        test::quickSettings());
    PlainTraining plain(training, 3);
    const test::WeightsFor before = [&plain](int iteration) {
        return plain.versions.at(static_cast<std::size_t>(std::max(0, iteration - 1)));
    };
    plain.run(before, before);
    EXPECT_LT(test::difference(test::weightsOf(train(training, 3)), plain.versions.back()), test::rounding);
}

TEST(StaleTraining, PredictsFromTheNewestWeightsByTheExactDifference) {
    for (const Policy policy : {Policy::specTrain, Policy::xpipe})
        for (const OptimizerKind optimizer :
             {OptimizerKind::sgd, OptimizerKind::rmsprop, OptimizerKind::adam}) {
            SCOPED_TRACE(describe(policy).id + ", optimizer " + std::to_string(static_cast<int>(optimizer)));
            const PreparedTraining training = prepared(policy, optimizer);
            PlainTraining plain(training, 3);
            const auto predicted = [&](int version, int ahead) -> Vector {
                const auto index = static_cast<std::size_t>(version);
                const bool ownStep = policy == Policy::specTrain && optimizer == OptimizerKind::sgd;
                const Vector direction = ownStep ? plain.momentum.at(index)
                                                 : plain.moments.at(index).direction(
                                                       policy == Policy::specTrain ? PredictionRule::momentum
                                                                                   : PredictionRule::adam);
                return plain.versions.at(index) -
                       ahead * training.settings.optimizer.learningRate * direction;
            };
            plain.run(
                [&](int iteration) {
                    return mixed(training, [&](int stage) {
                        return predicted(seenAtForward(stage, iteration), stages - 1 - stage + stage / 2);
                    });
                },
                [&](int iteration) {
                    return mixed(training, [&](int stage) { return predicted(iteration, stage / 2); });
                });
            EXPECT_LT(test::difference(test::weightsOf(train(training, 3)), plain.versions.back()),
                      test::rounding);
        }
}

TEST(StaleTraining, RecomputedForwardsUseTheBackwardsWeights) {
    TrainingSettings settings = test::quickSettings();
    settings.recompute = true;
    const PreparedTraining training =
        prepareTraining(test::unitProblem(stages, 1), test::unitPlan(stages), Policy::noStashing, settings);
    // Stage s then runs forward and backward with the newest weights on what old ones handed to it, which no
    // single pass through the network does: its run differs from the one that keeps its activations.
    settings.recompute = false;
    const PreparedTraining keeping =
        prepareTraining(test::unitProblem(stages, 1), test::unitPlan(stages), Policy::noStashing, settings);
    EXPECT_GT(test::difference(test::weightsOf(train(training, 3)), test::weightsOf(train(keeping, 3))),
              1e-6);
}

}  // namespace
}  // namespace stagecraft::training
