// Experts as one of the GPUs has them that share them out.
#include "core/generation/analytic_profile.h"
#include "core/generation/gpu_catalogue.h"
#include "core/generation/shared_experts.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

/// Mixtral 8x7B: 4,096 wide, 8 experts of 14,336, of which a token takes 2.
constexpr double hidden = 4096, inner = 14336, tokens = 1024, copies = 2 * tokens;

NetworkDescription mixtralOf1024() { return network("mixtral-8x7b", {{"sequence_length", 1024}}); }

const Operation& operationNamed(const NetworkLayer& layer, const std::string& name) {
    for (const Operation& operation : layer.operations)
        if (operation.name == name) return operation;
    throw std::out_of_range(name);
}

/// By hand, in fp16 on a GPU that reaches half of 1 TFLOP/s in these products and all of 1 TB/s: what a file
/// of efficiencies says.
AnalyticOptions measuredOptions(const Gpu& gpu) {
    MeasuredEfficiencies measured;
    measured.peakFlops = gpu.bf16Flops;
    measured.memoryBps = gpu.memoryBandwidthBps;
    measured.memoryShare = measured.lossShare = 0.8;
    measured.reorderShare = 0.4;
    measured.productShare = measured.attentionShare = measured.attentionBackwardShare = 0.5;
    measured.groupShare = 0.1;
    // Two experts of a GPU with the tokens of four: 4 x 256 rows for each.
    measured.groups[{OperationPass::forward, {2, {1024, 4096, 2 * 14336}}}] = 0.5;
    AnalyticOptions options;
    options.precision = Precision::bf16;
    options.measured = std::make_shared<const MeasuredEfficiencies>(measured);
    return options;
}

}  // namespace

TEST(SharedExperts, ProductsAreOfTheTokensThatAGpuHasOfItsExperts) {
    const Gpu& gpu = *findGpu("H100-SXM5-80GB");
    const AnalyticOptions options = measuredOptions(gpu);
    const NetworkDescription alone = mixtralOf1024(), shared = withExpertsOn(alone, 4);
    const double flops = 2.0 * 2 * hidden * inner * copies;
    const auto forwardS = [&](const NetworkDescription& network) {
        return operationTime(operationNamed(network.layers[1], "gate and up"), gpu, options).forwardS;
    };
    EXPECT_NEAR(forwardS(alone), flops / (0.1 * gpu.bf16Flops), 1e-9);
    EXPECT_NEAR(forwardS(shared), flops / (0.5 * gpu.bf16Flops), 1e-9);
    // No more and no less is computed or trained.
    EXPECT_DOUBLE_EQ(shared.parameters(), alone.parameters());
    EXPECT_DOUBLE_EQ(shared.forwardFlops(), alone.forwardFlops());
}

TEST(SharedExperts, TokensArePutInOrderThreeTimesBeforeTheyAreSummedUp) {
    const Gpu& gpu = *findGpu("H100-SXM5-80GB");
    const AnalyticOptions options = measuredOptions(gpu);
    const NetworkDescription alone = mixtralOf1024(), shared = withExpertsOn(alone, 4);
    const auto& before = alone.layers[1].operations;
    const auto& after = shared.layers[1].operations;
    ASSERT_EQ(after.size(), before.size() + 3);
    double moved = 0, seconds = 0;
    for (std::size_t i = before.size(); i < after.size(); ++i) {
        moved += after[i].trafficElements;
        const OperationTime time = operationTime(after[i], gpu, options);
        EXPECT_DOUBLE_EQ(time.inputGradientS, time.forwardS);
        EXPECT_EQ(time.weightGradientS, 0);
        seconds += time.forwardS;
    }
    // Read once, written twice; read and written in the order of experts; and in the order they came in.
    EXPECT_DOUBLE_EQ(moved, hidden * (tokens + copies + 2 * copies + 2 * copies));
    EXPECT_NEAR(seconds, 2 * moved / (0.4 * gpu.memoryBandwidthBps), 1e-9);
}

TEST(SharedExperts, WeightsOfOtherGpusAreNotRead) {
    const Gpu& gpu = *findGpu("H100-SXM5-80GB");
    AnalyticOptions options;
    options.precision = Precision::bf16;
    const NetworkDescription alone = mixtralOf1024();
    const auto memoryS = [&](const NetworkDescription& network) {
        return operationTime(operationNamed(network.layers[1], "down"), gpu, options).memoryS;
    };
    const double weights = 2 * 8 * hidden * inner, activations = 2 * copies * (hidden + inner);
    const double bps = gpu.memoryBandwidthBps * options.memoryEfficiency;
    EXPECT_NEAR(memoryS(alone), (weights + activations) / bps, 1e-9);
    EXPECT_NEAR(memoryS(withExpertsOn(alone, 8)), (weights / 8 + activations) / bps, 1e-9);
}

TEST(SharedExperts, WhatCannotBeSharedOutIsRefusedInWords) {
    EXPECT_EQ(withExpertsOn(network("llama-3-8b"), 1).notes, network("llama-3-8b").notes);
    const auto refusal = [](const char* model, int ranks) -> std::string {
        try {
            withExpertsOn(network(model), ranks);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(refusal("llama-3-8b", 2),
              "experts_on is 2, and the model has no experts that could be shared out; expected 1");
    EXPECT_EQ(refusal("mixtral-8x7b", 3), "8 experts on 3 GPUs; expected a number that divides them");
}

}  // namespace stagecraft
