#include "core/cost/sample_shares.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

using namespace stagecraft;

namespace {

/// `layers` layers of 1 s forward and 2 s backward for a microbatch of `samples`, on `devices` equal GPUs
/// that are joined in a row.
Problem problemOf(int samples, int devices, int layers = 1) {
    Problem problem;
    problem.profile.microbatchSize = samples;
    for (int layer = 0; layer < layers; ++layer) {
        Layer numbers;
        numbers.name = "layer" + std::to_string(layer);
        numbers.forwardS = 1;
        numbers.backwardS = 2;
        problem.profile.layers.push_back(numbers);
    }
    for (int device = 0; device < devices; ++device) {
        const std::string id = "g" + std::to_string(device);
        problem.cluster.devices.push_back({id, "s", "", 1e9, 1, 1e9});
        if (device > 0) problem.cluster.links.push_back({"g" + std::to_string(device - 1), id, 1e9, 0, ""});
    }
    problem.setup.microbatches = 4;
    return problem;
}

Stage stageOn(int firstDevice, int devices, int layer = 0) {
    Stage stage{layer, layer, {}};
    for (int device = 0; device < devices; ++device) stage.devices.push_back(firstDevice + device);
    return stage;
}

}  // namespace

TEST(SampleShares, OneSampleOverEightGpusIsToldWithWhatAWholeSampleTakes) {
    const CostModel costs(problemOf(1, 8));
    Plan plan;
    plan.stages = {stageOn(0, 8)};
    const std::vector<SplitSamples> found = splitSamples(costs, plan);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].largestShare, 1);
    EXPECT_EQ(found[0].withLargest, 1);
    EXPECT_DOUBLE_EQ(found[0].countedS, 3.0 / 8);
    EXPECT_DOUBLE_EQ(found[0].wholeS, 3);
    const std::vector<std::string> sentences = unevenShares(costs, plan);
    ASSERT_EQ(sentences.size(), 1u);
    EXPECT_EQ(sentences[0],
              "Stage 0 splits each microbatch of 1 sample over 8 GPUs: times and activations are those of "
              "0.125 samples per GPU. With whole samples, 1 GPU gets 1, and forward and backward of a "
              "microbatch take 3.00 s, not 375 ms.");
}

TEST(SampleShares, EveryNumberOfSamplesAndReplicasIsToldExactlyWhereItDoesNotDivide) {
    for (int samples = 1; samples <= 12; ++samples)
        for (int replicas = 1; replicas <= 12; ++replicas) {
            const CostModel costs(problemOf(samples, replicas));
            Plan plan;
            plan.stages = {stageOn(0, replicas)};
            // Samples dealt one by one, as cards are.
            std::vector<int> hands(static_cast<std::size_t>(replicas), 0);
            for (int sample = 0; sample < samples; ++sample)
                ++hands[static_cast<std::size_t>(sample % replicas)];
            const int most = *std::max_element(hands.begin(), hands.end());
            const auto withMost = std::count(hands.begin(), hands.end(), most);
            const std::vector<SplitSamples> found = splitSamples(costs, plan);
            if (withMost == replicas) {
                EXPECT_TRUE(found.empty()) << samples << " over " << replicas;
                EXPECT_TRUE(unevenShares(costs, plan).empty());
                continue;
            }
            ASSERT_EQ(found.size(), 1u) << samples << " over " << replicas;
            EXPECT_EQ(found[0].largestShare, most);
            EXPECT_EQ(found[0].withLargest, withMost);
            EXPECT_NEAR(found[0].wholeS, 3.0 * most / samples, 1e-12);
            EXPECT_GT(found[0].wholeS, found[0].countedS);
        }
}

TEST(SampleShares, WholeSamplesTakeWhatWasMeasuredForThemOnTheSlowestGpu) {
    Problem problem = problemOf(6, 4);
    problem.profile.otherSizes = {{2, {{0.5, 0.75, 0}}}};
    problem.cluster.devices[3].speed = 0.5;
    const CostModel costs(problem);
    Plan plan;
    plan.stages = {stageOn(0, 4)};
    const std::vector<SplitSamples> found = splitSamples(costs, plan);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].largestShare, 2);
    EXPECT_DOUBLE_EQ(found[0].wholeS, 1.25 / 0.5);
}

TEST(SampleShares, TheStageThatHidesMostIsToldAndTheOthersAreCounted) {
    Problem problem = problemOf(6, 9, 3);
    problem.profile.layers[1].forwardS = 5;
    const CostModel costs(problem);
    Plan plan;
    plan.stages = {stageOn(0, 4, 0), stageOn(4, 4, 1), stageOn(8, 1, 2)};
    const std::vector<std::string> sentences = unevenShares(costs, plan);
    ASSERT_EQ(sentences.size(), 1u);
    EXPECT_TRUE(sentences[0].starts_with("Stage 1 splits each microbatch of 6 samples over 4 GPUs"))
        << sentences[0];
    EXPECT_NE(sentences[0].find("1.5 samples per GPU. With whole samples, 2 GPUs get 2, "), std::string::npos)
        << sentences[0];
    EXPECT_TRUE(sentences[0].ends_with(" The same goes for 1 more stage.")) << sentences[0];
}

TEST(SampleShares, MicrobatchesInTurnAreWholeAndOnlyTheirRemainderIsTold) {
    Problem problem = problemOf(1, 4);
    problem.setup.microbatches = 9;
    Plan plan;
    plan.stages = {stageOn(0, 4)};
    plan.stages[0].replication = Replication::roundRobin;
    EXPECT_EQ(unevenShares(CostModel(problem), plan),
              std::vector<std::string>{"The 4 GPUs of stage 0 take turns with 9 microbatches per mini-batch: "
                                       "1 gets 3, the other 3 get 2."});
    problem.setup.microbatches = 8;
    EXPECT_TRUE(unevenShares(CostModel(problem), plan).empty());
    // Without a barrier the next mini-batch continues with the replica whose turn it is.
    problem.setup.microbatches = 9;
    problem.setup.mode = TrainingMode::asynchronous;
    EXPECT_TRUE(unevenShares(CostModel(problem), plan).empty());
    plan.miniBatch.barrier = true;
    EXPECT_EQ(unevenShares(CostModel(problem), plan).size(), 1u);
}

TEST(SampleShares, PipelinesThatDoNotShareEvenlyAreTold) {
    Problem problem = problemOf(1, 3);
    problem.setup.microbatches = 8;
    Plan plan;
    for (int copy = 0; copy < 3; ++copy) {
        plan.stages.push_back(stageOn(copy, 1));
        plan.stages.back().pipeline = copy;
    }
    EXPECT_EQ(unevenShares(CostModel(problem), plan),
              std::vector<std::string>{
                  "The 3 pipelines share 8 microbatches per mini-batch: 2 get 3, the other gets 2."});
    problem.setup.microbatches = 9;
    EXPECT_TRUE(unevenShares(CostModel(problem), plan).empty());
}
