#include "core/planners/vpipe/local_optimum.h"
#include "tests/support/every_room.h"
#include "core/planners/vpipe/swap_recompute.h"
#include "tests/core/support/golden_cases.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

namespace stagecraft::planners::vpipe {
namespace {

using stagecraft::testing::goldenCase;

LayerOps opsOf(const std::string& letters) {
    LayerOps ops;
    for (const char letter : letters)
        ops.push_back(letter == 'D'   ? LayerMemory::keep
                      : letter == 'R' ? LayerMemory::recompute
                                      : LayerMemory::swap);
    return ops;
}

std::string lettersOf(const LayerOps& ops) {
    std::string letters;
    for (const LayerMemory op : ops)
        letters += op == LayerMemory::keep ? 'D' : op == LayerMemory::recompute ? 'R' : 'S';
    return letters;
}

LocalStage stageOf(const nlohmann::json& input, System system, bool paramsResident = true) {
    LocalStage stage;
    for (const auto& layer : input.at("layers"))
        stage.layers.push_back(
            localLayer(layer.at("f"), layer.at("b"), layer.at("m"), layer.at("a"), system, paramsResident));
    stage.rank = input.at("rank");
    stage.hostBandwidthBps = input.at("P");
    if (input.contains("M")) stage.limitBytes = input.at("M");
    return stage;
}

TEST(VpipeModel, Equations1And2AreTheGoldenOnesForEveryPolicyAndSystem) {
    const auto golden = goldenCase("vp-06-model");
    for (const auto& [policy, expected] : golden.expected.items()) {
        const LayerOps ops = opsOf(policy);
        const auto memory = [&](System system, bool resident) {
            return memoryBytes(stageOf(golden.input, system, resident), ops);
        };
        EXPECT_EQ(memory(System::synchronous, true), expected.at("mem_BSP")) << policy;
        EXPECT_EQ(memory(System::asynchronous, false), expected.at("mem_ASP_literal")) << policy;
        EXPECT_EQ(memory(System::asynchronous, true), expected.at("mem_ASP_params_resident")) << policy;
        const StageTimes times = stageTimes(stageOf(golden.input, System::synchronous), ops);
        EXPECT_NEAR(times.backwardS, expected.at("t_bwd").get<double>(), 1e-12) << policy;
    }
}

class VpipeAlgorithm2 : public ::testing::TestWithParam<const char*> {};

TEST_P(VpipeAlgorithm2, DecidesWhatTheGoldenCaseSaysInEveryReading) {
    const auto golden = goldenCase(GetParam());
    const LocalStage stage = stageOf(golden.input, System::synchronous);
    for (const bool overshoots : {false, true})
        for (const bool chargesRank : {false, true}) {
            const std::string name =
                std::string(overshoots ? "literal" : "fits") + (chargesRank ? "_rank" : "_two");
            const auto& expected = golden.expected.at(name);
            const SwapRecompute found = swapAndRecompute(stage, {true, overshoots, chargesRank});
            EXPECT_EQ(lettersOf(found.ops), expected.at("policy")) << name;
            EXPECT_EQ(found.fits, expected.at("fits")) << name;
            EXPECT_EQ(found.memoryBytes, expected.at("memory")) << name;
            EXPECT_NEAR(found.times.backwardS, expected.at("t_bwd").get<double>(), 1e-12) << name;
            EXPECT_NEAR(found.times.totalS(), expected.at("stage_time").get<double>(), 1e-12) << name;
            for (std::size_t i = 0; i < stage.layers.size(); ++i) {
                EXPECT_EQ(lettersOf({found.preferred[i]}), golden.expected.at("op")[i]) << name;
                EXPECT_NEAR(found.gains[i], golden.expected.at("gain")[i].get<double>(), 1e-12) << name;
            }
        }
    const LocalOptimum best = localOptimum(stage);
    EXPECT_TRUE(best.proven);
    EXPECT_NEAR(best.stageTimeS, golden.expected.at("bruteforce_stage_time").get<double>(), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Golden, VpipeAlgorithm2,
                         ::testing::Values("vp-01-alg2-hand", "vp-02-alg2-roomy", "vp-03-alg2-random"));

/// Small whole numbers, so that ties and layers that are alike are common.
LocalStage randomStage(int mostLayers) {
    const auto between = [](int low, int high) { return *rc::gen::inRange(low, high + 1); };
    LocalStage stage;
    stage.rank = between(1, 4);
    const int layers = between(1, mostLayers);
    double whole = 0;
    for (int i = 0; i < layers; ++i) {
        const bool repeat = i > 0 && between(0, 2) == 0;
        stage.layers.push_back(repeat ? stage.layers.back()
                                      : localLayer(between(0, 9), between(0, 18), between(0, 10),
                                                   between(0, 60), System::synchronous, true));
        whole += stage.layers.back().constantBytes + stage.rank * stage.layers.back().dependentBytes;
    }
    stage.hostBandwidthBps = between(0, 3) == 0 ? 0 : between(1, 20);
    stage.limitBytes = between(0, static_cast<int>(whole) + 10);
    if (between(0, 1)) {
        stage.recomputedCopies = 1;
        stage.swappedCopies = std::min(2, stage.rank);
        stage.inputBytes = between(0, 20);
    }
    return stage;
}

/// The least stage time over all 3^n choices; infinity if none fits.
double leastStageTimeS(const LocalStage& stage) {
    double least = std::numeric_limits<double>::infinity();
    LayerOps ops(stage.layers.size(), LayerMemory::keep);
    while (true) {
        if (memoryBytes(stage, ops) <= stage.limitBytes)
            least = std::min(least, stageTimes(stage, ops).totalS());
        std::size_t i = 0;
        while (i < ops.size() && ops[i] == LayerMemory::swap) ops[i++] = LayerMemory::keep;
        if (i == ops.size()) return least;
        ops[i] = ops[i] == LayerMemory::keep ? LayerMemory::recompute : LayerMemory::swap;
    }
}

TEST(VpipeLocalOptimum, IsThatOfTryingEveryChoice) {
    EXPECT_TRUE(rc::check([] {
        const LocalStage stage = randomStage(7);
        const LocalOptimum best = localOptimum(stage);
        const double least = leastStageTimeS(stage);
        RC_ASSERT(best.proven);
        RC_ASSERT(best.feasible == (least < std::numeric_limits<double>::infinity()));
        if (!best.feasible) return;
        RC_ASSERT(std::abs(best.stageTimeS - least) <= 1e-9 * (1 + least));
        RC_ASSERT(memoryBytes(stage, best.ops) <= stage.limitBytes * (1 + 1e-12));
        RC_ASSERT(std::abs(stageTimes(stage, best.ops).totalS() - best.stageTimeS) <= 1e-9 * (1 + least));
    }));
}

TEST(VpipeLocalOptimum, AlgorithmTwoIsNeverBetterAndFitsOnlyWhereSomethingDoes) {
    int worse = 0, feasible = 0;
    EXPECT_TRUE(rc::check([&] {
        const LocalStage stage = randomStage(12);
        const SwapRecompute greedy = swapAndRecompute(stage);
        const LocalOptimum best = localOptimum(stage);
        RC_ASSERT(best.proven);
        if (!greedy.fits) return;
        RC_ASSERT(best.feasible);
        ++feasible;
        RC_ASSERT(greedy.memoryBytes <= stage.limitBytes);
        RC_ASSERT(greedy.times.totalS() >= best.stageTimeS * (1 - 1e-12));
        if (greedy.times.totalS() > best.stageTimeS * (1 + 1e-9)) ++worse;
    }));
    // The paper calls Algorithm 2 optimal (E-VP-9).
    EXPECT_GT(worse, 0);
    EXPECT_GT(feasible, 20);
}

TEST(VpipeLocalOptimum, ABoundStandsWhereTheSearchIsCutShort) {
    EXPECT_TRUE(rc::check([] {
        const LocalStage stage = randomStage(7);
        const LocalOptimum cut = localOptimum(stage, 2);
        const double least = leastStageTimeS(stage);
        RC_ASSERT(cut.lowerBoundS <= least * (1 + 1e-9));
        if (cut.feasible) RC_ASSERT(cut.stageTimeS >= least * (1 - 1e-9));
    }));
}

TEST(VpipeAlgorithm2, KeepsEverythingThatFitsUnlessItSwapsEagerly) {
    LocalStage stage;
    stage.layers = {localLayer(1, 2, 3, 100, System::synchronous, true)};
    stage.limitBytes = 1000;
    stage.hostBandwidthBps = 100;
    EXPECT_EQ(lettersOf(swapAndRecompute(stage, {.eagerSwap = true}).ops), "S");
    EXPECT_EQ(lettersOf(swapAndRecompute(stage, {.eagerSwap = false}).ops), "D");
}

TEST(VpipeAlgorithm2, WithoutAHostLinkRecomputesAlone) {
    LocalStage stage;
    stage.layers = {localLayer(1, 2, 3, 100, System::synchronous, true),
                    localLayer(5, 2, 3, 100, System::synchronous, true)};
    stage.limitBytes = 110;
    EXPECT_EQ(lettersOf(swapAndRecompute(stage).ops), "RD");
    stage.limitBytes = 5;
    EXPECT_FALSE(swapAndRecompute(stage).fits);
}

}  // namespace
}  // namespace stagecraft::planners::vpipe
