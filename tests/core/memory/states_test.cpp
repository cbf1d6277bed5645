// What weights, gradients and the optimizer's state take in memory and send over links, by precision and ZeRO
// stage.
#include "core/memory/block_bytes.h"
#include "core/memory/memory.h"
#include "core/simulation/simulator.h"
#include "tests/core/support/golden_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <map>

namespace stagecraft {
namespace {

/// One stage of one layer of so many parameters on so many devices.
struct CopiedLayer {
    CopiedLayer(double parameters, int elementBytes, int copies, int microbatches = 1) {
        problem.profile.elementBytes = elementBytes;
        problem.profile.layers = {{"all", 1, 2, parameters * elementBytes}};
        std::vector<std::vector<double>> bandwidths(static_cast<std::size_t>(copies));
        for (int a = 0; a < copies; ++a)
            for (int b = 0; b < copies; ++b)
                bandwidths[static_cast<std::size_t>(a)].push_back(a == b ? 0 : 1e9);
        problem.cluster = testing::meshCluster(bandwidths);
        problem.setup.microbatches = microbatches;
        plan.stages = {{0, 0, {}}};
        for (int device = 0; device < copies; ++device) plan.stages[0].devices.push_back(device);
        plan.schedule.order = FamilySchedule{"gpipe", {}};
    }

    /// Bytes that a device holds from beginning to end.
    double held(MemoryKind kind) const {
        const CostModel costs(problem);
        return memoryCurves(costs, plan, stageEdges(costs, plan), simulate(costs, plan))
            .front()
            .bytes()[static_cast<std::size_t>(kind)]
            .front();
    }
    /// Bytes for each parameter, all causes together.
    double statesOf(double parameters) const {
        return (held(MemoryKind::parameters) + held(MemoryKind::gradients) + held(MemoryKind::masterWeights) +
                held(MemoryKind::optimizerState)) /
               parameters;
    }
    /// Bytes that a device sends in an iteration, by the kind of the blocks.
    std::map<BlockKind, double> sent() const {
        const CostModel costs(problem);
        const Timeline timeline = simulate(costs, plan);
        const BlockBytes bytes(costs, plan, stageEdges(costs, plan));
        std::map<BlockKind, double> sums;
        for (std::uint32_t block = 0; block < timeline.blockCount(); ++block)
            sums[timeline.kind[block]] += bytes.of(timeline, timeline.laneOf(block), block);
        return sums;
    }

    Problem problem;
    Plan plan;
};

TEST(States, AreThoseOfLlama2UnderEachZeroStage) {
    for (const char* id : {"par-05a-llama2-7b-zero0", "par-05b-llama2-7b-zero1", "par-05c-llama2-7b-zero2",
                           "par-05d-llama2-7b-zero3"}) {
        SCOPED_TRACE(id);
        const testing::GoldenCase golden = testing::goldenCase(id);
        const auto& setup = golden.input.at("setup");
        CopiedLayer it(golden.expected.at("parameters").at("dense").get<double>(), 2,
                       setup.at("d").get<int>(), setup.at("microbatches").get<int>());
        it.problem.setup.optimizer = Optimizer::adam;
        it.problem.setup.precision = StatePrecision::mixed;
        it.problem.setup.gradients = GradientPrecision::half;
        it.problem.setup.zero = static_cast<ZeroStage>(setup.at("zero").get<int>());
        const auto& bytes = golden.expected.at("bytes");
        EXPECT_EQ(it.held(MemoryKind::parameters), bytes.at("weights").get<double>());
        EXPECT_EQ(it.held(MemoryKind::gradients), bytes.at("gradients").get<double>());
        EXPECT_EQ(it.held(MemoryKind::masterWeights) + it.held(MemoryKind::optimizerState),
                  bytes.at("optimizer").get<double>());
        const auto& expected = golden.expected.at("sent_data_parallel");
        std::map<BlockKind, double> sent = it.sent();
        EXPECT_EQ(sent[BlockKind::allReduce] + sent[BlockKind::reduceScatter],
                  expected.at("gradients").get<double>());
        EXPECT_EQ(sent[BlockKind::allGather], expected.at("weights").get<double>());
    }
}

/// PARALLELISM.md, "Bytes per parameter", and what it says of each ZeRO stage, for other optimizers and
/// numbers of copies.
TEST(States, AreThoseOfTheTable) {
    const double n = 1e6;
    struct Row {
        int element;
        StatePrecision precision;
        GradientPrecision gradients;
        Optimizer optimizer;
        double weights, gradientBytes, rest;
    };
    using enum StatePrecision;
    using enum Optimizer;
    constexpr auto half = GradientPrecision::half, single = GradientPrecision::single;
    for (const Row& row : {Row{4, uniform, single, adam, 4, 4, 8}, Row{4, uniform, half, sgd, 4, 4, 0},
                           Row{2, uniform, single, adam, 2, 2, 4}, Row{2, mixed, half, adam, 2, 2, 12},
                           Row{2, mixed, single, adam, 2, 4, 12}, Row{2, fp8, half, adam, 3, 2, 12},
                           Row{2, fp8, single, adam, 3, 4, 12}, Row{2, mixed, half, sgd, 2, 2, 4},
                           Row{2, mixed, half, momentum, 2, 2, 8}})
        for (const int copies : {1, 2, 8})
            for (int stage = 0; stage < 4; ++stage) {
                CopiedLayer it(n, row.element, copies);
                it.problem.setup.precision = row.precision;
                it.problem.setup.gradients = row.gradients;
                it.problem.setup.optimizer = row.optimizer;
                it.problem.setup.zero = static_cast<ZeroStage>(stage);
                EXPECT_DOUBLE_EQ(it.statesOf(n), row.weights / (stage > 2 ? copies : 1) +
                                                     row.gradientBytes / (stage > 1 ? copies : 1) +
                                                     row.rest / (stage > 0 ? copies : 1))
                    << copies << " copies, ZeRO " << stage;
            }
}

/// Two gathers and a scatter a microbatch, each as long as a round of the ring.
TEST(States, AreGatheredBeforeEachPassAndScatteredAfterEachBackward) {
    CopiedLayer it(100e9, 2, 4, 3);
    it.problem.setup.precision = StatePrecision::mixed;
    it.problem.setup.zero = ZeroStage::weights;
    const Timeline timeline = simulate(CostModel(it.problem), it.plan);
    double gatherS = 0.75 * 200e9 / 1e9, scatterS = 2 * gatherS;
    std::map<BlockKind, int> counts;
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        const BlockKind kind = timeline.kind[block];
        ++counts[kind];
        if (kind == BlockKind::allGather) {
            EXPECT_DOUBLE_EQ(timeline.durationS(block), gatherS);
        }
        if (kind == BlockKind::reduceScatter) {
            EXPECT_DOUBLE_EQ(timeline.durationS(block), scatterS);
        }
    }
    EXPECT_EQ(counts[BlockKind::allGather], 6);
    EXPECT_EQ(counts[BlockKind::reduceScatter], 3);
    EXPECT_EQ(counts[BlockKind::allReduce], 0);
    // Three forwards of 1/4 s behind a gather each; backwards of 1/2 s wait for theirs, which share the links
    // with the scatters: 3 x (g + f) + g + b + 2 x max(s + g, …) + … + s.
    EXPECT_DOUBLE_EQ(timeline.lastEndS(), 3 * (gatherS + 0.25) + 3 * (gatherS + 0.5) + 3 * scatterS);
}

/// As long as computing takes as long: forwards of 1/4 s hide that much of a gather, backwards of 1/2 s of a
/// gather and a scatter together.
TEST(States, OverlapWithPassesByTheSharesOfTheSetup) {
    const auto ends = [](double gatherS, double overlap, bool splits = false) {
        CopiedLayer it(gatherS / 0.75 * 1e9 / 2, 2, 4, 3);
        it.problem.profile.layers[0].weightGradientS = 1;
        it.problem.setup.precision = StatePrecision::mixed;
        it.problem.setup.zero = ZeroStage::weights;
        it.problem.setup.zeroOverlap = overlap;
        if (splits) it.plan.schedule.order = FamilySchedule{"zb-h1", {}}, it.plan.schedule.splitBackward = true;
        return simulate(CostModel(it.problem), it.plan).lastEndS();
    };
    const double computedS = 3 * 0.75;
    EXPECT_DOUBLE_EQ(ends(0.1, 0), computedS + 3 * 0.4);
    EXPECT_DOUBLE_EQ(ends(0.1, 0.5), computedS + 3 * 0.2) << "all that may be hidden is";
    EXPECT_DOUBLE_EQ(ends(0.1, 1), computedS);
    EXPECT_DOUBLE_EQ(ends(100, 1), computedS + 3 * (400 - 0.75)) << "computing is shorter";
    EXPECT_DOUBLE_EQ(ends(0.1, 1, true), computedS + 3 * 0.2) << "gradients of a split backward are bare";
}

/// A layer that is gathered or scattered meanwhile is there besides the one at work.
TEST(States, OfTwoLayersAreWholeWherePassesHideWhatIsSent) {
    CopiedLayer it(100, 2, 4);
    for (const double parameters : {300.0, 200.0, 50.0})
        it.problem.profile.layers.push_back({"more", 1, 2, parameters * 2});
    it.problem.profile.layers[0].storedActivationBytes = 0;
    it.plan.stages[0].lastLayer = 3;
    it.problem.setup.precision = StatePrecision::mixed;
    it.problem.setup.gradients = GradientPrecision::half;
    it.problem.setup.zero = ZeroStage::weights;
    const auto peak = [&] {
        const CostModel costs(it.problem);
        return memoryCurves(costs, it.plan, stageEdges(costs, it.plan), simulate(costs, it.plan))
            .front()
            .peakBytes();
    };
    const double alone = peak();
    it.problem.setup.zeroOverlap = 0.5;
    EXPECT_DOUBLE_EQ(peak() - alone, 0.75 * (2 + 2) * 200) << "300 and 200 beside each other, not 300 alone";
}

TEST(States, OfMixedPrecisionNeedAProfileInTwoBytes) {
    CopiedLayer it(10, 4, 1);
    EXPECT_FALSE(whyUnplannable(it.problem));
    it.problem.setup.precision = StatePrecision::mixed;
    EXPECT_NE(whyUnplannable(it.problem)->find("has elements of 4 bytes"), std::string::npos);
    it.problem.profile.elementBytes.reset();
    EXPECT_NE(whyUnplannable(it.problem)->find("does not say"), std::string::npos);
    it.problem.profile.elementBytes = 2;
    EXPECT_FALSE(whyUnplannable(it.problem));
}

/// A replica with more samples than the others decides how long all take and what each holds.
TEST(WholeSamples, AreCountedByTheReplicaWithMost) {
    CopiedLayer it(10, 2, 4);
    it.problem.profile.microbatchSize = 6;
    it.problem.profile.layers[0].storedActivationBytes = 600;
    const auto cost = [&] { return CostModel(it.problem).stage(it.plan, 0); };
    EXPECT_DOUBLE_EQ(cost().forwardS, 0.25);
    it.problem.setup.wholeSamples = true;
    EXPECT_DOUBLE_EQ(cost().forwardS, 2.0 / 6);
    EXPECT_DOUBLE_EQ(cost().backwardS, 4.0 / 6);
    const CostModel costs(it.problem);
    EXPECT_DOUBLE_EQ(costs.keptActivationBytes(it.plan, 0), 200);
    EXPECT_FALSE(costs.splitsEvenly());
    it.problem.profile.microbatchSize = 12;
    EXPECT_DOUBLE_EQ(cost().forwardS, 0.25);
}

}  // namespace
}  // namespace stagecraft
