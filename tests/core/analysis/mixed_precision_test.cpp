// Memory that is counted too small for profiles in half precision.
#include "core/analysis/mixed_precision.h"
#include "core/analysis/evaluation.h"
#include "core/analysis/metric_catalogue.h"
#include "core/base/indices.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

using namespace stagecraft;

namespace {

/// Llama 2 7B's 6,738,415,616 parameters in one layer of 2-byte elements on one GPU of 80 GiB.
Problem llamaOnOneGpu(Optimizer optimizer) {
    Problem problem;
    problem.profile.layers = {{"all", 1, 2, 2 * 6738415616.0, 0, 0, 0, 1}};
    problem.profile.elementBytes = 2;
    problem.cluster.devices = {{.id = "g0", .memoryBytes = 80.0 * 1024 * 1024 * 1024}};
    problem.setup.microbatches = 1;
    problem.setup.optimizer = optimizer;
    return problem;
}

Plan onOneGpu() {
    Plan plan;
    plan.stages = {{0, 0, {0}}};
    return plan;
}

}  // namespace

TEST(MixedPrecision, SevenBillionParametersUnderAdamNeedSixteenBytesEach) {
    const CostModel costs(llamaOnOneGpu(Optimizer::adam));
    const Evaluation evaluation = evaluate(costs, onOneGpu());
    EXPECT_TRUE(evaluation.metrics.fitsMemory) << "as counted";
    const auto mixed = mixedPrecision(costs, onOneGpu(), evaluation.metrics);
    ASSERT_TRUE(mixed);
    EXPECT_EQ(mixed->countedBytes, 8);
    EXPECT_EQ(mixed->neededBytes, 16);
    EXPECT_EQ(mixed->fullGradientsBytes, 18);
    EXPECT_DOUBLE_EQ(mixed->peakBytes, 16 * 6738415616.0);
    EXPECT_FALSE(mixed->fits);
    const std::string sentence = mixed->sentence(costs.problem().cluster.devices);
    EXPECT_NE(sentence.find("does not fit into its 80.0 GiB"), std::string::npos) << sentence;
    // Wherever its memory is compared it is marked, as an alarm.
    const PlannerReport words;
    const Plan plan = onOneGpu();
    const MeasuredPlan lasting{costs, plan, words, &evaluation, 1};
    const Metric& peak = catalogueMetric("tightest_peak_bytes");
    for (const MetricColumn& column : {peak.compared, peak.printed})
        EXPECT_NE(peak.text(column, peak.of(lasting), lasting).find(understatedMark), std::string::npos);
    EXPECT_TRUE(peak.alarming(lasting));
}

TEST(MixedPrecision, OtherOptimizersKeepWeightsAndMomentsInFourBytes) {
    for (const auto& [optimizer, counted, needed] : {std::tuple{Optimizer::sgd, 4.0, 8.0},
                                                     {Optimizer::momentum, 6.0, 12.0},
                                                     {Optimizer::adam, 8.0, 16.0}}) {
        const CostModel costs(llamaOnOneGpu(optimizer));
        const auto mixed = mixedPrecision(costs, onOneGpu(), evaluate(costs, onOneGpu()).metrics);
        ASSERT_TRUE(mixed);
        EXPECT_EQ(mixed->countedBytes, counted);
        EXPECT_EQ(mixed->neededBytes, needed);
    }
}

TEST(MixedPrecision, NothingIsSaidOfWholePrecisionOrOfAnUnknownOne) {
    Problem problem = llamaOnOneGpu(Optimizer::adam);
    for (const std::optional<int> bytes : {std::optional<int>(), std::optional(4)}) {
        problem.profile.elementBytes = bytes;
        const CostModel costs(problem);
        EXPECT_FALSE(mixedPrecision(costs, onOneGpu(), evaluate(costs, onOneGpu()).metrics));
    }
}

TEST(MixedPrecision, EachDeviceNeedsMoreForTheParametersThatItHolds) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::mt19937 random(seed);
        Problem problem = random_problem::problem(random, 2 + random_problem::upTo(random, 5),
                                                  1 + random_problem::upTo(random, 4));
        problem.profile.elementBytes = 2;
        const CostModel costs(problem);
        const Plan plan = random_problem::plan(random, problem);
        const Evaluation evaluation = evaluate(costs, plan);
        const auto mixed = mixedPrecision(costs, plan, evaluation.metrics);
        ASSERT_TRUE(mixed);
        double mostShare = 0;
        for (const DeviceMetrics& device : evaluation.metrics.devices) {
            double needed = device.peakMemoryBytes;
            for (const Stage& stage : plan.stages)
                if (std::count(stage.devices.begin(), stage.devices.end(), device.device))
                    for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer)
                        needed += problem.profile.layers[static_cast<std::size_t>(layer)].parameterBytes / 2 *
                                  (mixed->neededBytes - mixed->countedBytes);
            mostShare = std::max(mostShare, needed / device.limitBytes);
        }
        EXPECT_NEAR(mixed->peakBytes / mixed->limitBytes, mostShare, 1e-9) << seed;
        EXPECT_EQ(mixed->fits, mostShare <= 1) << seed;
    }
}
