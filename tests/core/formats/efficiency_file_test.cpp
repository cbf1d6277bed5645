// Shares of a GPU's peak that were measured by shape: how they are read, and what profiles make of them.
#include "core/formats/files/import.h"
#include "core/formats/profiles/efficiency_file.h"
#include "core/formats/text_file.h"
#include "core/generation/generated_profile.h"
#include "core/generation/transformer_network.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cmath>

namespace stagecraft {
namespace {

using nlohmann::json;

const std::string systemFile = STAGECRAFT_SOURCE_DIR "/samples/measured/published/simumax-system-b200.json";

MeasuredEfficiencies b200() { return readEfficiencyFile(systemFile); }

Operation product(double rows, double inputs, double outputs) {
    Operation operation;
    operation.kind = OperationClass::matrix;
    operation.flops = 2 * rows * inputs * outputs;
    operation.parameters = inputs * outputs;
    operation.trafficElements = rows * (inputs + outputs);
    operation.weightGradientPasses = 1;
    operation.matrix = MatrixShape{rows, inputs, outputs};
    return operation;
}

AnalyticOptions measuredOptions(MeasuredEfficiencies measured) {
    AnalyticOptions options;
    options.precision = Precision::bf16;
    options.measured = std::make_shared<const MeasuredEfficiencies>(std::move(measured));
    return options;
}

std::string refusal(const std::string& text) {
    try {
        readEfficiencies(text, "F");
    } catch (const InputError& error) {
        return error.what();
    }
    return "read";
}

/// The file with that value at that place.
std::string changed(const std::string& pointer, const json& value) {
    json document = json::parse(readTextFile(systemFile));
    document[json::json_pointer(pointer)] = value;
    return document.dump();
}

ParameterValues onB200(int samples) {
    return {{"gpu", std::string("B200-SXM-180GB")},
            {"precision", std::string("bf16")},
            {"sequence_length", 4096},
            {"microbatch_size", samples},
            {"efficiencies", systemFile}};
}

}  // namespace

TEST(EfficiencyFile, EachPassOfAProductHasTheShareOfItsOwnShape) {
    const MeasuredEfficiencies measured = b200();
    const Operation qkv = product(4096, 8192, 10240);
    const std::pair<OperationPass, double> printed[] = {{OperationPass::forward, 0.6451614102335537},
                                                        {OperationPass::inputGradient, 0.49804462256915516},
                                                        {OperationPass::weightGradient, 0.5979461534906494}};
    for (const auto& [pass, share] : printed) {
        EXPECT_EQ(reachedShare(measured, qkv, 1, pass).share, share);
        EXPECT_TRUE(reachedShare(measured, qkv, 1, pass).isMeasured);
    }
    // Two samples are another shape.
    EXPECT_FALSE(reachedShare(measured, qkv, 2, OperationPass::forward).isMeasured);
    EXPECT_EQ(reachedShare(measured, qkv, 2, OperationPass::forward).share, 0.48780765792034037);
}

TEST(EfficiencyFile, AProductTakesItsFlopsOverWhatItsShapeReached) {
    const OperationTime time =
        operationTime(product(4096, 8192, 10240), *findGpu("B200-SXM-180GB"), measuredOptions(b200()));
    const double flops = 2.0 * 4096 * 8192 * 10240;
    EXPECT_DOUBLE_EQ(time.forwardS, flops / (2250e12 * 0.6451614102335537));
    EXPECT_DOUBLE_EQ(time.inputGradientS, flops / (2250e12 * 0.49804462256915516));
    EXPECT_DOUBLE_EQ(time.weightGradientS, flops / (2250e12 * 0.5979461534906494));
}

/// Those that were measured count the half of the products that a causal mask hides.
TEST(EfficiencyFile, CausalAttentionTakesAllItsProductsOverTheShareThatCountsThem) {
    TransformerModel model;
    model.layers = 1, model.hidden = 8192, model.heads = 64, model.keyValueHeads = 8, model.headWidth = 128;
    model.ffn = 28672, model.gated = true;
    const auto attentionOf = [](const TransformerModel& of) {
        const NetworkDescription network = transformerNetwork(of, {.sequenceLength = 4096});
        for (const NetworkLayer& layer : network.layers)
            for (const Operation& operation : layer.operations)
                if (operation.isAttentionCore) return operation;
        return Operation{};
    };
    const Operation causal = attentionOf(model);
    model.causal = false;
    const Operation both = attentionOf(model);
    const Gpu& gpu = *findGpu("B200-SXM-180GB");
    const double flops = 4.0 * 4096 * 4096 * 8192;
    EXPECT_NEAR(operationTime(causal, gpu, measuredOptions(b200())).forwardS,
                flops / (2250e12 * 0.8715233665672911), 1e-9);
    EXPECT_NEAR(operationTime(causal, gpu, measuredOptions(b200())).inputGradientS,
                2.5 * flops / (2250e12 * 0.7294011330486614), 1e-9);
    // Without the mask all is computed, at the same rate.
    EXPECT_FALSE(reachedShare(b200(), both, 1, OperationPass::forward).isMeasured);
    EXPECT_NEAR(operationTime(both, gpu, measuredOptions(b200())).forwardS,
                flops / (2250e12 * 0.7059717796465379 / 2), 1e-6);
}

TEST(EfficiencyFile, ExpertsAreFoundByTheTokensOfOne) {
    Operation experts = product(4096 * 6, 5120, 3072);
    experts.matrix->groups = 160;
    const ReachedShare reached = reachedShare(b200(), experts, 1, OperationPass::weightGradient);
    EXPECT_TRUE(reached.isMeasured);
    EXPECT_EQ(reached.share, 0.09365228280672189);
}

TEST(EfficiencyFile, AProfileSaysWhichShapesWereMeasured) {
    const LayerProfile all = generatedProfile("llama-3-70b", onB200(1), readEfficiencyFile);
    EXPECT_NE(all.source.find("Of 6 products of different shape 6 were measured."), std::string::npos)
        << all.source;
    const LayerProfile none = generatedProfile("llama-3-8b", onB200(1), readEfficiencyFile);
    EXPECT_NE(none.source.find("; not measured, so that the file's mean is taken: query, key and value "
                               "projection (4096 x 4096 x "
                               "6144), fused attention (4,096 tokens, 32 heads)"),
              std::string::npos)
        << none.source;
}

/// Files before shapes were measured have one bandwidth for all, and not all operations.
TEST(EfficiencyFile, WhatAFileDoesNotHaveReachesWhatProductsDo) {
    const MeasuredEfficiencies plain = readEfficiencies(
        R"({"sys_name": "A100", "accelerator": {"op": {"matmul": {"tflops": 312, "efficient_factor": 0.75}},
            "bandwidth": {"efficient_factor": 0.9, "gbps": 1600, "latency_us": 40}}})",
        "F");
    EXPECT_FALSE(plain.hasShapes());
    Operation experts = product(4096 * 6, 5120, 3072), attention;
    experts.matrix->groups = 160;
    attention.attention = AttentionCore{1000, 64, 8, 128, 128, 1000, true};
    for (const OperationPass pass : {OperationPass::forward, OperationPass::inputGradient}) {
        EXPECT_EQ(reachedShare(plain, product(8, 8, 8), 1, pass).share, 0.75);
        EXPECT_EQ(reachedShare(plain, experts, 1, pass).share, 0.75);
        EXPECT_NEAR(reachedShare(plain, attention, 1, pass).share, 0.75, 0.001);
    }
    EXPECT_EQ(plain.lossShare, 0.9);
    EXPECT_DOUBLE_EQ(plain.memoryLatencyS, 40e-6);
}

TEST(EfficiencyFile, ShapesOfEverySizeAreCounted) {
    ParameterValues values = onB200(4);
    values["microbatch_sizes"] = std::string("1,4");
    const LayerProfile profile = generatedProfile("llama-3-70b", values, readEfficiencyFile);
    EXPECT_NE(profile.source.find("Of 6 products of different shape 0 were measured"), std::string::npos);
    EXPECT_NE(profile.source.find("With 1 sample: Of 6 products of different shape 6 were measured."),
              std::string::npos)
        << profile.source;
}

TEST(EfficiencyFile, OtherGpusAndPrecisionsAreRefused) {
    ParameterValues values = onB200(1);
    values["gpu"] = std::string("H100-SXM5-80GB");
    EXPECT_THROW(generatedProfile("llama-3-70b", values, readEfficiencyFile), std::invalid_argument);
    // The same peak, and another memory.
    MeasuredEfficiencies slow = b200();
    slow.memoryBps /= 2;
    EXPECT_THROW(operationTime(product(8, 8, 8), *findGpu("B200-SXM-180GB"), measuredOptions(slow)),
                 std::invalid_argument);
    values = onB200(1);
    values["precision"] = std::string("fp32");
    EXPECT_THROW(generatedProfile("llama-3-70b", values, readEfficiencyFile), std::invalid_argument);
    values = onB200(1);
    values["efficiencies"] = std::string("/nonexistent.json");
    EXPECT_THROW(generatedProfile("llama-3-70b", values, readEfficiencyFile), InputError);
}

TEST(EfficiencyFile, WhatIsWrongIsSaidWithItsPlace) {
    EXPECT_NE(refusal("[]").find("an object"), std::string::npos) << refusal("[]");
    EXPECT_NE(refusal("{}").find("accelerator"), std::string::npos);
    EXPECT_NE(refusal(R"({"accelerator": 3})").find("/accelerator"), std::string::npos);
    EXPECT_NE(refusal(changed("/accelerator/op/matmul/tflops", -1)).find("/accelerator/op/matmul/tflops"),
              std::string::npos);
    EXPECT_NE(refusal(changed("/accelerator/op/matmul/efficient_factor", 0)).find("efficient_factor"),
              std::string::npos);
    EXPECT_NE(refusal(changed("/accelerator/op/sdp_fwd/efficient_factor", 50)).find("a share of 50"),
              std::string::npos);
    const std::string shapes = "/accelerator/op/matmul/accurate_efficient_factor/";
    const std::pair<std::string, const char*> wrong[] = {
        {"b=2, m=1, k=1, n=1, layout=TN, accumulate=False, out_dtype=bf16", "b is '2'"},
        {"b=1, m=0, k=1, n=1, layout=TN, accumulate=False, out_dtype=bf16", "m is '0'"},
        {"b=1, m=1, k=1, n=1, layout=TT, accumulate=False, out_dtype=bf16", "layout is 'TT'"},
        {"b=1, m=1, n=1, layout=TN, accumulate=False, out_dtype=bf16", "has no k"}};
    for (const auto& [shape, said] : wrong)
        EXPECT_NE(refusal(changed(shapes + shape, 0.5)).find(said), std::string::npos)
            << refusal(changed(shapes + shape, 0.5));
}

TEST(EfficiencyFile, ByItselfItIsNoProfileAndSaysWhereItGoes) {
    try {
        importProfile(readTextFile(systemFile), systemFile);
        FAIL() << "it is no profile";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("--efficiencies FILE"), std::string::npos) << error.what();
    }
}

}  // namespace stagecraft
