#include "core/training/curves.h"
#include "tests/support/every_room.h"
#include "core/training/training_settings.h"
#include "tests/core/training/small_training.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stagecraft::training {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Seeds with these validation losses.
PolicyRuns withLosses(const std::vector<std::vector<double>>& seeds) {
    PolicyRuns runs;
    for (const std::vector<double>& losses : seeds) {
        TrainingRun& run = runs.runs.emplace_back();
        for (const double loss : losses)
            run.epochs.push_back({static_cast<int>(run.epochs.size()) + 1, 2 * loss, 0.25, loss, 0.5});
    }
    return runs;
}

TEST(Curves, AreMeansOverTheSeedsThatHaveComeAsFar) {
    const std::vector<CurvePoint> points =
        curveOf(withLosses({{4, 2}, {6}, {8, 4}}), Measure::validationLoss);
    ASSERT_EQ(points.size(), 2u);
    EXPECT_EQ(points[0], (CurvePoint{1, {6, 2, 3}, 4, 8, 0}));
    EXPECT_EQ(points[1], (CurvePoint{2, {3, std::sqrt(2.0), 2}, 2, 4, 0}));
    EXPECT_EQ(curveOf(withLosses({{4}}), Measure::trainingLoss)[0].spread.mean, 8);
    EXPECT_EQ(curveOf(withLosses({{4}}), Measure::validationAccuracy)[0].spread.mean, 0.5);
    EXPECT_EQ(curveOf(withLosses({{4}}), Measure::trainingAccuracy)[0].spread.mean, 0.25);
    EXPECT_TRUE(curveOf({}, Measure::validationLoss).empty());
}

TEST(Curves, CountRunsThatDivergedApart) {
    const std::vector<CurvePoint> points =
        curveOf(withLosses({{1, infinite}, {3, std::nan("")}, {5, 7}}), Measure::validationLoss);
    EXPECT_EQ(points[0].diverged, 0);
    EXPECT_EQ(points[1], (CurvePoint{2, {7, 0, 1}, 7, 7, 2}));
    const std::vector<CurvePoint> none = curveOf(withLosses({{infinite}}), Measure::validationLoss);
    EXPECT_TRUE(std::isnan(none[0].spread.mean));
}

TEST(Curves, GroupMiniBatchesIntoTheirMeans) {
    PolicyRuns runs;
    runs.runs.resize(1);
    for (int i = 0; i < 5; ++i) runs.runs[0].addBatchLoss(i, i);
    const std::vector<CurvePoint> points = curveOf(runs, Measure::batchLoss, 2);
    ASSERT_EQ(points.size(), 3u);
    EXPECT_EQ(points[0].at, 2);
    EXPECT_EQ(points[0].spread.mean, 0.5);
    EXPECT_EQ(points[1].spread.mean, 2.5);
    EXPECT_EQ(points[2].spread.mean, 4);  // of the one that is left
    EXPECT_EQ(batchesOf({runs}), 5);
}

TEST(Curves, ATrainingKeepsTheLossOfEachMiniBatch) {
    const PreparedTraining prepared =
        prepareTraining(test::unitProblem(3, 2), test::unitPlan(3), Policy::stashing, test::quickSettings());
    std::vector<double> heard;
    TrainingCallbacks callbacks;
    callbacks.batch = [&](int, double loss) { heard.push_back(loss); };
    const TrainingRun run = train(prepared, 0, callbacks);
    EXPECT_EQ(run.batchLosses, heard);
    ASSERT_EQ(run.batchLosses.size(), 11u);
    double sum = 0;
    for (const double loss : run.batchLosses) sum += loss;
    EXPECT_NEAR(sum / 11, run.epochs[0].trainingLoss, 1e-9);
}

TEST(Summary, LeavesOutRunsWithoutAnEpochAndComparesOverCommonEpochs) {
    const PolicyRuns stopped = withLosses({{4, 1}, {5}, {}});
    const PolicySummary summary = summaryOf(stopped);
    EXPECT_EQ(summary.leastLoss.count, 2);
    EXPECT_EQ(summary.leastLoss.mean, 3);
    EXPECT_EQ(summary.diverged, 0);
    // Of the first seed only the first epoch can be compared.
    const PairedDifference difference = differenceOf(stopped, withLosses({{3}, {4, 1}, {2}}));
    EXPECT_EQ(difference.leastLoss.count, 2);
    EXPECT_EQ(difference.leastLoss.mean, 1);
}

TEST(Staleness, IsTheNumberOfStagesBehindWithoutABarrier) {
    TrainingSettings settings = test::quickSettings();
    const auto of = [&](Policy policy) {
        return stalenessOf(
            prepareTraining(test::unitProblem(4, 1), test::unitPlan(4), policy, settings).program, 4);
    };
    const std::vector<StageStaleness> stashing = of(Policy::stashing), latest = of(Policy::noStashing);
    const std::vector<StageStaleness> predicted = of(Policy::specTrain);
    for (int stage = 0; stage < 4; ++stage) {
        const auto index = static_cast<std::size_t>(stage);
        EXPECT_EQ(stashing[index], (StageStaleness{3.0 - stage, 3.0 - stage, 0, 0})) << stage;
        EXPECT_EQ(latest[index].forward, 3.0 - stage);
        EXPECT_EQ(latest[index].backward, 0) << stage;
        EXPECT_GE(predicted[index].forwardAhead, predicted[index].forward);
    }
    EXPECT_EQ(of(Policy::synchronous), std::vector<StageStaleness>(4));
}

TEST(WhyUntrainable, SaysWhatPreparingWouldSay) {
    const TrainingSettings settings = test::quickSettings();
    for (const int microbatches : {1, 2, 3, 6})
        for (const PolicyDescription& about : policies()) {
            const Problem problem = test::unitProblem(3, microbatches);
            std::optional<std::string> said;
            try {
                prepareTraining(problem, test::unitPlan(3), about.policy, settings);
            } catch (const TrainingError& error) {
                said = error.what();
            }
            EXPECT_EQ(whyUntrainable(problem, test::unitPlan(3), about.policy, settings), said) << about.id;
        }
    TrainingSettings tooFew = settings;
    tooFew.layers = 2;
    EXPECT_NE(
        whyUntrainable(test::unitProblem(3, 1), test::unitPlan(3), Policy::xpipe, tooFew)->find("3 layers"),
        std::string::npos);
}

TEST(TrainingParameters, DefaultsAreThoseOfTheSettings) {
    const TrainingChoice choice = trainingChoice({}, 1);
    const TrainingSettings usual, &settings = choice.settings;
    EXPECT_EQ(choice.seeds, 1);
    EXPECT_EQ(settings.model, usual.model);
    EXPECT_EQ(settings.data, usual.data);
    EXPECT_EQ(settings.layers, usual.layers);
    EXPECT_EQ(settings.width, usual.width);
    EXPECT_EQ(settings.optimizer.kind, usual.optimizer.kind);
    EXPECT_EQ(settings.optimizer.learningRate, usual.optimizer.learningRate);
    EXPECT_EQ(settings.optimizer.momentum, usual.optimizer.momentum);
    EXPECT_EQ(settings.optimizer.weightDecay, usual.optimizer.weightDecay);
    EXPECT_EQ(settings.dropEvery, usual.dropEvery);
    EXPECT_EQ(settings.batchSize, usual.batchSize);
    EXPECT_EQ(settings.epochs, usual.epochs);
    EXPECT_EQ(settings.difference, usual.difference);
    EXPECT_EQ(settings.printedPrediction, usual.printedPrediction);
    EXPECT_EQ(settings.recompute, usual.recompute);
    EXPECT_EQ(trainingChoice({}, 40).settings.batchSize, 40);
}

TEST(TrainingParameters, EveryChoiceIsTaken) {
    ParameterValues values;
    for (const Parameter& parameter : trainingParameters()) {
        if (parameter.choices.empty()) continue;
        values[parameter.name] = parameter.choices.back();
    }
    values["learning_rate"] = 0.5;
    values["batch_size"] = 7;
    values["seeds"] = 9;
    const TrainingChoice choice = trainingChoice(values, 40);
    EXPECT_EQ(choice.settings.data, DataKind::spirals);
    EXPECT_EQ(choice.settings.model, ModelKind::convolutional);
    EXPECT_EQ(choice.settings.optimizer.kind, OptimizerKind::adam);
    EXPECT_EQ(choice.settings.optimizer.learningRate, 0.5);
    EXPECT_EQ(choice.settings.difference, VersionDifference::printed);
    EXPECT_TRUE(choice.settings.printedPrediction);
    EXPECT_EQ(choice.settings.batchSize, 7);
    EXPECT_EQ(choice.seeds, 9);
    values.erase("learning_rate");
    EXPECT_EQ(trainingChoice(values, 1).settings.optimizer.learningRate,
              usualLearningRate(OptimizerKind::adam));
}

}  // namespace
}  // namespace stagecraft::training
