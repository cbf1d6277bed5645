#include "core/base/work_context.h"
#include "core/simulation/simulator.h"
#include "core/training/comparison.h"
#include "tests/core/training/small_training.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace stagecraft::training {
namespace {

std::vector<Policy> allPolicies() {
    std::vector<Policy> all;
    for (const PolicyDescription& each : policies()) all.push_back(each.policy);
    return all;
}

TEST(Comparison, IsTheSameForAnyNumberOfThreads) {
    const auto csv = [](int jobs) {
        return curvesCsv(compare(test::unitProblem(3, 3), test::unitPlan(3), test::quickSettings(),
                                 {allPolicies(), 3, jobs, false}));
    };
    const std::string alone = csv(1);
    EXPECT_EQ(std::count(alone.begin(), alone.end(), '\n'), 1 + 7 * 3);
    EXPECT_EQ(csv(2), alone);
    EXPECT_EQ(csv(5), alone);
}

TEST(Comparison, ReportsEveryEpochAndRunOnce) {
    TrainingSettings settings = test::quickSettings();
    settings.epochs = 2;
    std::multiset<std::tuple<Policy, int, int>> epochs;
    std::multiset<std::pair<Policy, int>> finished;
    ComparisonCallbacks callbacks;
    callbacks.epoch = [&](Policy policy, int seed, const EpochResult& result) {
        epochs.emplace(policy, seed, result.epochsDone);
    };
    int batches = 0;
    callbacks.batch = [&](Policy, int, int iteration, double) { batches += iteration < 22 ? 1 : 0; };
    callbacks.finished = [&](Policy policy, int seed, const TrainingRun& run) {
        EXPECT_EQ(run.epochs.size(), 2u);
        finished.emplace(policy, seed);
    };
    const std::vector<Policy> two = {Policy::stashing, Policy::xpipe};
    const auto runs =
        compare(test::unitProblem(2, 2), test::unitPlan(2), settings, {two, 3, 2, false}, callbacks);
    EXPECT_EQ(finished, (std::multiset<std::pair<Policy, int>>{
                            {two[0], 0}, {two[0], 1}, {two[0], 2}, {two[1], 0}, {two[1], 1}, {two[1], 2}}));
    EXPECT_EQ(epochs.size(), 12u);
    EXPECT_EQ(batches, 2 * 3 * 22);
    EXPECT_EQ(std::set(epochs.begin(), epochs.end()).size(), 12u);
}

TEST(Comparison, LeavesOutWhatThePlanCannotDoOnlyIfAllowed) {
    Comparison comparison{{Policy::doubleBuffer, Policy::stashing}, 1, 1, true};
    const auto compareNow = [&] {
        return compare(test::unitProblem(3, 1), test::unitPlan(3), test::quickSettings(), comparison);
    };
    const std::vector<PolicyRuns> runs = compareNow();
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_NE(runs[0].refusal.find("microbatches"), std::string::npos);
    EXPECT_TRUE(runs[0].runs.empty());
    EXPECT_EQ(runs[1].runs.size(), 1u);
    comparison.whereverPossible = false;
    EXPECT_THROW(compareNow(), TrainingError);
}

TEST(Comparison, AStopReachesAllThreads) {
    std::stop_source source;
    ComparisonCallbacks callbacks;
    callbacks.stop = source.get_token();
    callbacks.finished = [&](Policy, int, const TrainingRun&) { source.request_stop(); };
    EXPECT_THROW(compare(test::unitProblem(3, 3), test::unitPlan(3), test::quickSettings(),
                         {allPolicies(), 3, 2, false}, callbacks),
                 Cancelled);
}

/// Runs whose validation had these losses and accuracies.
PolicyRuns runsOf(std::vector<std::vector<std::pair<double, double>>> seeds) {
    PolicyRuns runs;
    for (const auto& seed : seeds) {
        TrainingRun& run = runs.runs.emplace_back();
        for (const auto& [loss, accuracy] : seed) run.epochs.push_back({1, 0, 0, loss, accuracy});
    }
    return runs;
}

TEST(Summary, HasBestAndLastOfEachSeedWithTheirSpread) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const PolicyRuns runs =
        runsOf({{{0.5, 0.8}, {0.7, 0.9}}, {{0.9, 0.6}, {0.8, 0.5}}, {{0.9, 0.6}, {nan, 0.1}}});
    const PolicySummary summary = summaryOf(runs);
    EXPECT_DOUBLE_EQ(summary.leastLoss.mean, (0.5 + 0.8 + 0.9) / 3);
    EXPECT_NEAR(summary.leastLoss.deviation,
                std::sqrt((0.054444444444 + 0.004444444444 + 0.027777777778) / 2), 1e-9);
    EXPECT_DOUBLE_EQ(summary.bestAccuracy.mean, (0.9 + 0.6 + 0.6) / 3);
    EXPECT_DOUBLE_EQ(summary.lastLoss.mean, 0.75);
    EXPECT_DOUBLE_EQ(summary.lastAccuracy.mean, 0.5);
    EXPECT_EQ(summary.diverged, 1);
}

TEST(Summary, DifferencesAreTakenSeedBySeed) {
    const PairedDifference difference =
        differenceOf(runsOf({{{0.5, 0.8}}, {{0.3, 0.6}}}), runsOf({{{0.4, 0.7}}, {{0.2, 0.5}}}));
    EXPECT_NEAR(difference.leastLoss.mean, 0.1, 1e-12);
    EXPECT_NEAR(difference.leastLoss.deviation, 0, 1e-12);
    EXPECT_NEAR(difference.bestAccuracy.mean, 0.1, 1e-12);
}

TEST(Curves, AreRowsOfTheTable) {
    PolicyRuns runs;
    runs.policy = Policy::xpipe;
    runs.runs = {TrainingRun{{{1, 0.5, 0.25, 0.1, 1}}, {}}, TrainingRun{{{1, 2, 0, 3, 0}}, {}}};
    EXPECT_EQ(curvesCsv({runs}),
              "policy,seed,epochs_done,training_loss,training_accuracy,validation_loss,validation_accuracy\n"
              "xpipe,0,1,0.5,0.25,0.1,1\n"
              "xpipe,1,1,2,0,3,0\n");
}

}  // namespace
}  // namespace stagecraft::training
