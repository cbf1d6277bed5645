#include "core/simulation/simulator.h"
#include "core/base/work_context.h"
#include "tests/support/every_room.h"
#include "tests/core/training/small_training.h"

#include <gtest/gtest.h>

namespace stagecraft::training {
namespace {

TEST(TrainingRun, IsTheSameToTheBitEachTime) {
    TrainingSettings settings = test::quickSettings();
    settings.epochs = 2;
    for (const PolicyDescription& policy : policies()) {
        const auto run = [&](std::uint64_t seed) {
            return train(prepareTraining(test::unitProblem(3, 3), test::unitPlan(3), policy.policy, settings),
                         seed);
        };
        const TrainingRun first = run(1);
        for (int again = 0; again < 4; ++again) {
            const TrainingRun other = run(1);
            EXPECT_EQ(other.epochs, first.epochs) << policy.id;
            EXPECT_EQ(other.weights, first.weights) << policy.id;
        }
        EXPECT_NE(run(2).weights, first.weights) << policy.id;
    }
}

TEST(TrainingRun, LearnsTheDigitsAndTheSpirals) {
    TrainingSettings settings;
    const PreparedTraining digits =
        prepareTraining(test::unitProblem(4, 4), test::unitPlan(4), Policy::stashing, settings);
    EXPECT_GT(train(digits, 1).epochs.back().validationAccuracy, 0.95);
    settings.data = DataKind::spirals;
    settings.optimizer.kind = OptimizerKind::adam;
    settings.optimizer.learningRate = 0.003;
    settings.epochs = 40;
    const PreparedTraining spirals =
        prepareTraining(test::unitProblem(4, 4), test::unitPlan(4), Policy::stashing, settings);
    EXPECT_GT(train(spirals, 1).epochs.back().validationAccuracy, 0.95);
}

TEST(TrainingRun, ReportsEveryMiniBatchAndEpochAsItGoes) {
    TrainingSettings settings = test::quickSettings();
    settings.epochs = 3;
    const PreparedTraining prepared =
        prepareTraining(test::unitProblem(3, 2), test::unitPlan(3), Policy::xpipe, settings);
    ASSERT_EQ(prepared.iterationsPerEpoch, 11);
    std::vector<int> batches;
    std::vector<double> losses;
    std::vector<EpochResult> epochs;
    TrainingCallbacks callbacks;
    callbacks.batch = [&](int iteration, double loss) {
        batches.push_back(iteration);
        losses.push_back(loss);
    };
    callbacks.epoch = [&](const EpochResult& result) { epochs.push_back(result); };
    const TrainingRun run = train(prepared, 1, callbacks);
    ASSERT_EQ(batches.size(), 33u);
    for (int iteration = 0; iteration < 33; ++iteration)
        EXPECT_EQ(batches[static_cast<std::size_t>(iteration)], iteration);
    EXPECT_EQ(epochs, run.epochs);
    ASSERT_EQ(epochs.size(), 3u);
    EXPECT_EQ(epochs.back().epochsDone, 3);
    double firstEpoch = 0;
    for (std::size_t i = 0; i < 11; ++i) firstEpoch += losses[i] / 11;
    EXPECT_NEAR(epochs.front().trainingLoss, firstEpoch, 1e-12);
    // The last weights are those that were measured last.
    const Samples& validation = prepared.data->validation;
    EXPECT_EQ(
        epochs.back().validationLoss,
        lossOf(prepared.network->scores(test::weightsOf(run), validation.values), validation.labels).sum /
            validation.count());
}

TEST(TrainingRun, StopsWhenTold) {
    const PreparedTraining prepared =
        prepareTraining(test::unitProblem(3, 2), test::unitPlan(3), Policy::stashing, test::quickSettings());
    std::stop_source source;
    int batches = 0;
    TrainingCallbacks callbacks;
    callbacks.stop = source.get_token();
    callbacks.batch = [&](int, double) {
        if (++batches == 3) source.request_stop();
    };
    EXPECT_THROW(train(prepared, 1, callbacks), Cancelled);
    EXPECT_EQ(batches, 3);
}

TEST(TrainingRun, TheLearningRateFallsToATenth) {
    TrainingSettings settings = test::quickSettings();
    settings.optimizer.momentum = 0;
    settings.epochs = 2;
    const Problem problem = test::unitProblem(2, 2, TrainingMode::synchronous);
    const auto weights = [&] {
        return test::weightsOf(
            train(prepareTraining(problem, test::unitPlan(2), Policy::synchronous, settings), 1));
    };
    const Vector whole = weights();
    settings.dropEvery = 1;
    const Vector dropped = weights();
    settings.epochs = 1;
    const Vector half = weights();
    const double ratio = (dropped - half).norm() / (whole - half).norm();
    EXPECT_GT(ratio, 0.05);
    EXPECT_LT(ratio, 0.2);
}

std::string refusal(Problem problem, const Plan& plan, const TrainingSettings& settings,
                    Policy policy = Policy::stashing) {
    try {
        prepareTraining(problem, plan, policy, settings);
    } catch (const TrainingError& error) {
        return error.what();
    }
    return "";
}

TEST(TrainingRun, SaysWhatDoesNotGoTogether) {
    const auto has = [](const std::string& text, const char* part) {
        return text.find(part) != std::string::npos;
    };
    TrainingSettings settings = test::quickSettings();
    settings.batchSize = 3;
    EXPECT_TRUE(has(refusal(test::unitProblem(2, 4), test::unitPlan(2), settings), "4 microbatches"));
    settings.batchSize = 2000;
    EXPECT_TRUE(has(refusal(test::unitProblem(2, 4), test::unitPlan(2), settings), "1,437 samples"));
    settings = test::quickSettings();
    settings.layers = 2;
    EXPECT_TRUE(has(refusal(test::unitProblem(3, 4), test::unitPlan(3), settings), "3 layers or more"));
    settings = test::quickSettings();
    settings.model = ModelKind::convolutional;
    settings.data = DataKind::spirals;
    EXPECT_TRUE(has(refusal(test::unitProblem(2, 4), test::unitPlan(2), settings), "images"));
    settings = test::quickSettings();
    settings.epochs = 1000000;
    EXPECT_TRUE(has(refusal(test::unitProblem(2, 4), test::unitPlan(2), settings), "fewer epochs"));
}

}  // namespace
}  // namespace stagecraft::training
