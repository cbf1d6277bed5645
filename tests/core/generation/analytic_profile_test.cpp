#include "core/generation/analytic_profile.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace stagecraft {
namespace {

/// 1 TFLOP/s, 100 GB/s: figures that a reader can do in the head.
Gpu plainGpu() {
    return {.name = "plain",
            .fp32Flops = 1e12,
            .halfFlops = 8e12,
            .memoryBandwidthBps = 1e11,
            .source = "made up"};
}

AnalyticOptions atFullSpeed(int microbatchSize) {
    return {.microbatchSize = microbatchSize,
            .matrixEfficiency = 1,
            .convolutionEfficiency = 1,
            .memoryEfficiency = 1};
}

TEST(AnalyticProfile, ComputingBoundsHeavyProducts) {
    const Operation product{"product", OperationClass::matrix, 2e9, 1000, 1000, 500, 1, 1};
    const OperationTime time = operationTime(product, plainGpu(), atFullSpeed(3));
    EXPECT_DOUBLE_EQ(time.computeS, 6e-3);
    EXPECT_DOUBLE_EQ(time.memoryS, 4 * (3 * 1000 + 1000) / 1e11);
    EXPECT_DOUBLE_EQ(time.forwardS, 6e-3);
    EXPECT_DOUBLE_EQ(time.inputGradientS, 6e-3);
    EXPECT_DOUBLE_EQ(time.weightGradientS, 6e-3);
}

TEST(AnalyticProfile, MemoryBoundsElementwiseOperationsAndSmallProducts) {
    const Operation norm{"norm", OperationClass::elementwise, 0, 1e9, 1e6, 5e5, 1.5, 0};
    EXPECT_DOUBLE_EQ(operationTime(norm, plainGpu(), atFullSpeed(2)).forwardS, 4 * 2e6 / 1e11);
    EXPECT_DOUBLE_EQ(operationTime(norm, plainGpu(), atFullSpeed(2)).inputGradientS, 1.5 * 4 * 2e6 / 1e11);
    const Operation thin{"thin", OperationClass::matrix, 2e6, 1e6, 2e3, 1e3, 1, 1};
    EXPECT_DOUBLE_EQ(operationTime(thin, plainGpu(), atFullSpeed(1)).forwardS, 4 * (1e6 + 2e3) / 1e11);
}

TEST(AnalyticProfile, EfficienciesApplyToTheirOwnClass) {
    AnalyticOptions options = atFullSpeed(1);
    options.matrixEfficiency = 0.5;
    options.convolutionEfficiency = 0.25;
    options.memoryEfficiency = 0.1;
    const Operation product{"product", OperationClass::matrix, 1e12};
    const Operation convolution{"convolution", OperationClass::convolution, 1e12};
    const Operation copy{"copy", OperationClass::elementwise, 0, 0, 1e9};
    EXPECT_DOUBLE_EQ(operationTime(product, plainGpu(), options).forwardS, 2);
    EXPECT_DOUBLE_EQ(operationTime(convolution, plainGpu(), options).forwardS, 4);
    EXPECT_DOUBLE_EQ(operationTime(copy, plainGpu(), options).forwardS, 0.4);
}

TEST(AnalyticProfile, HalfPrecisionUsesItsOwnPeakAndHalvesTheBytes) {
    AnalyticOptions options = atFullSpeed(1);
    options.precision = Precision::fp16;
    const Operation product{"product", OperationClass::matrix, 8e12};
    const Operation copy{"copy", OperationClass::elementwise, 0, 0, 1e11};
    EXPECT_DOUBLE_EQ(operationTime(product, plainGpu(), options).forwardS, 1);
    EXPECT_DOUBLE_EQ(operationTime(copy, plainGpu(), options).forwardS, 2);
}

// The whole chain of numbers for one block, by hand: 384 tokens of width 1024, 16 heads, 6 samples.
TEST(AnalyticProfile, ABertBlockOnV100IsTheSumOfItsOperations) {
    const LayerProfile profile =
        analyticProfile(network("bert-large"), *findGpu("V100-SXM2-16GB"), {.microbatchSize = 6});
    ASSERT_EQ(profile.layerCount(), 27);
    const double samples = 6, tokens = 384, width = 1024, heads = 16;
    const double tensor = tokens * width, scores = heads * tokens * tokens;
    const double flops = samples * (2 * tokens * 12 * width * width + 4 * tokens * tokens * width);
    const double products = flops / (15.7e12 * 0.7);
    // softmax and its dropout; two dropouts, additions and norms; GELU on four times the width
    const double moved = samples * (4 * scores + 2 * (2 + 3 + 2) * tensor + 2 * 4 * tensor);
    const double elementwise = 4 * moved / (900e9 * 0.7);
    EXPECT_NEAR(profile.layers[1].forwardS, products + elementwise, 1e-9);
    // backward: products twice; softmax, norms and GELU read one tensor more than their forward
    const double movedBack =
        samples * ((1.5 + 1) * 2 * scores + 2 * (2 + 3 + 1.5 * 2) * tensor + 1.5 * 8 * tensor);
    EXPECT_NEAR(profile.layers[1].backwardS, 2 * products + 4 * movedBack / (900e9 * 0.7), 1e-9);
    const double withWeights = samples * 2 * tokens * 12 * width * width / (15.7e12 * 0.7);
    EXPECT_NEAR(profile.layers[1].weightGradientS, withWeights, 1e-9);
    EXPECT_EQ(profile.layers[1].parameterBytes, 4 * 12596224);
    EXPECT_EQ(profile.layers[1].outputBytes, 9437184);
    EXPECT_EQ(profile.layers[1].outputGradientBytes, 9437184);
    // inputs of: projections 1, scores 2, softmax and values 1 and two scores, output 1, norm 1, feed forward
    // 1, GELU 4, feed forward 4, norm 1
    EXPECT_EQ(profile.layers[1].storedActivationBytes, 4 * samples * (16 * tensor + 2 * scores));
    // Inputs and gradients of outputs of: projections 1 + 3, output 1 + 1, feed forward 1 + 4 and 4 + 1. Qi
    // et al. have 32 bytes where an element takes two.
    EXPECT_EQ(profile.layers[1].weightGradientBytes, 4 * samples * 16 * tensor);
}

TEST(AnalyticProfile, WeightGradientsArePartOfTheBackward) {
    for (const std::string& model : modelNames())
        for (const Layer& layer :
             analyticProfile(network(model), *findGpu("V100-SXM2-16GB"), {.microbatchSize = 4}).layers) {
            EXPECT_GT(layer.forwardS, 0) << model << " " << layer.name;
            EXPECT_LE(layer.weightGradientS, layer.backwardS) << model << " " << layer.name;
            EXPECT_EQ(layer.weightGradientS > 0, layer.parameterBytes > 0 ||
                                                     layer.name.find("embedding") != std::string::npos ||
                                                     layer.name.find("projection") != std::string::npos)
                << model << " " << layer.name;
        }
}

TEST(AnalyticProfile, TimesAreWholeNanoseconds) {
    const LayerProfile profile =
        analyticProfile(network("vgg-19"), *findGpu("GTX-1080-Ti-11GB"), {.microbatchSize = 32});
    for (const Layer& layer : profile.layers)
        for (const double time : {layer.forwardS, layer.backwardS, layer.weightGradientS})
            EXPECT_EQ(std::round(time * 1e9) / 1e9, time) << layer.name;
}

TEST(AnalyticProfile, SizesGrowWithTheMicrobatchAndParametersDoNot) {
    const Gpu& gpu = *findGpu("V100-SXM2-16GB");
    const LayerProfile one = analyticProfile(network("resnet-152"), gpu, {.microbatchSize = 8});
    const LayerProfile two = analyticProfile(network("resnet-152"), gpu, {.microbatchSize = 16});
    for (std::size_t layer = 0; layer < one.layers.size(); ++layer) {
        EXPECT_EQ(two.layers[layer].outputBytes, 2 * one.layers[layer].outputBytes);
        EXPECT_EQ(two.layers[layer].storedActivationBytes, 2 * one.layers[layer].storedActivationBytes);
        EXPECT_EQ(two.layers[layer].weightGradientBytes, 2 * *one.layers[layer].weightGradientBytes);
        EXPECT_EQ(two.layers[layer].parameterBytes, one.layers[layer].parameterBytes);
        EXPECT_GT(two.layers[layer].forwardS, one.layers[layer].forwardS);
        EXPECT_LE(two.layers[layer].forwardS,
                  2 * one.layers[layer].forwardS + 5e-9);  // weights are read once; nodes are rounded
    }
}

TEST(AnalyticProfile, FiveRunsGiveTheSameNumbers) {
    const auto make = [] {
        return analyticProfile(network("inception-v3"), *findGpu("T4-16GB"), {.microbatchSize = 32});
    };
    const LayerProfile first = make();
    for (int run = 1; run < 5; ++run) EXPECT_EQ(make(), first);
}

TEST(AnalyticProfile, TheSourceNamesEveryAssumption) {
    const std::string source = analyticProfile(network("bert-large"), *findGpu("A10-24GB"),
                                               {.microbatchSize = 6, .matrixEfficiency = 0.61})
                                   .source;
    for (const char* part :
         {"Computed, not measured", "A10-24GB", "fp32", "6 samples", "335143938", "31.2 TFLOP/s", "x 0.61",
          "x 0.5 for convolutions", "600 GB/s x 0.7", "4 bytes", "Not confirmed"})
        EXPECT_NE(source.find(part), std::string::npos) << part;
}

TEST(AnalyticProfile, TheTraceOfALayerNamesEachOperation) {
    const NetworkLayer block = network("bert-large").layers[1];
    const std::string trace = traceLayer(block, *findGpu("V100-SXM2-16GB"), {.microbatchSize = 6});
    for (const Operation& operation : block.operations)
        EXPECT_NE(trace.find(operation.name + ": "), std::string::npos) << operation.name;
    EXPECT_NE(trace.find("bound by computing"), std::string::npos);
    EXPECT_NE(trace.find("bound by memory"), std::string::npos);
}

TEST(AnalyticProfile, ImpossibleOptionsAreRefused) {
    const NetworkDescription bert = network("bert-large", {{"depth", 1}});
    const Gpu& pascal = *findGpu("GTX-1080-Ti-11GB");
    EXPECT_THROW(analyticProfile(bert, pascal, {.precision = Precision::fp16}), std::invalid_argument);
    EXPECT_THROW(analyticProfile(bert, pascal, {.microbatchSize = 0}), std::invalid_argument);
    EXPECT_THROW(analyticProfile(bert, pascal, {.matrixEfficiency = 0}), std::invalid_argument);
    EXPECT_THROW(analyticProfile(bert, pascal, {.memoryEfficiency = 1.5}), std::invalid_argument);
}

TEST(GpuCatalogue, EveryGpuIsCompleteAndFoundByItsName) {
    for (const Gpu& gpu : gpuCatalogue()) {
        EXPECT_EQ(findGpu(gpu.name), &gpu);
        EXPECT_GT(gpu.fp32Flops + gpu.bf16Flops, 1e12) << gpu.name;
        EXPECT_GT(gpu.memoryBytes, 1e10) << gpu.name;
        EXPECT_GT(gpu.memoryBandwidthBps, 1e11) << gpu.name;
        const bool isGpu = isNvidia(gpu) || gpu.architecture.starts_with("gfx");
        EXPECT_EQ(gpu.hostBandwidthBps > 1e10, isGpu) << gpu.name;
        EXPECT_FALSE(gpu.source.empty()) << gpu.name;
    }
    EXPECT_EQ(findGpu("V100"), nullptr);
}

}  // namespace
}  // namespace stagecraft
