#include "core/generation/generated_profile.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace stagecraft {
namespace {

std::string complaintOfModel(const std::string& model, const ParameterValues& values) {
    try {
        generatedProfile(model, values);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

TEST(GeneratedProfile, EveryParameterIsDescribedAndItsDefaultFits) {
    for (const ModelDescription& model : modelZoo()) {
        EXPECT_FALSE(model.summary.empty()) << model.name;
        std::set<std::string> names;
        ParameterValues defaults;
        for (const Parameter& parameter : profileParameters(model.name)) {
            EXPECT_TRUE(names.insert(parameter.name).second) << model.name << " " << parameter.name;
            EXPECT_FALSE(parameter.label.empty()) << parameter.name;
            EXPECT_FALSE(parameter.description.empty()) << parameter.name;
            EXPECT_NO_THROW(readParameter(parameter, toText(parameter.defaultValue))) << parameter.name;
            defaults[parameter.name] = parameter.defaultValue;
        }
        EXPECT_EQ(generatedProfile(model.name, defaults), generatedProfile(model.name, {})) << model.name;
    }
}

/// Another value that the model can have. Numbers are doubled, which every architecture has to react to.
ParameterValue another(const Parameter& parameter, const ParameterValue& value) {
    if (const bool* flag = std::get_if<bool>(&value)) return !*flag;
    if (const int* number = std::get_if<int>(&value)) return 2 * *number;
    for (const std::string& choice : parameter.choices)
        if (choice != std::get<std::string>(value)) return choice;
    throw std::logic_error(parameter.name);
}

TEST(GeneratedProfile, EveryParameterOfAModelChangesTheProfile) {
    for (const ModelDescription& model : modelZoo()) {
        ParameterValues small;
        if (model.name == "gpt-3" || model.name == "mixtral" || model.name == "llama") small["depth"] = 2;
        const bool hasPositions = model.name.starts_with("gpt-3-") || model.name.starts_with("megatron-");
        if (hasPositions) small["sequence_length"] = 1024;
        const LayerProfile before = generatedProfile(model.name, small);
        for (const Parameter& parameter : model.parameters) {
            ParameterValues values = small;
            const ParameterValue base =
                small.contains(parameter.name) ? small[parameter.name] : parameter.defaultValue;
            values[parameter.name] = another(parameter, base);
            if (parameter.name == "active_experts") values["experts"] = 4 * std::get<int>(base);
            if (parameter.name == "heads" && std::get<int>(base) % 2 == 1)
                values[parameter.name] = 20;  // GPT-2's 25
            if (parameter.name == "kv_heads") values[parameter.name] = 2;
            EXPECT_NE(generatedProfile(model.name, values).layers, before.layers)
                << model.name << " " << parameter.name;
        }
    }
}

TEST(GeneratedProfile, ModelsOfTodayAreForAGpuOfTodayAndFusedUnlessSaidOtherwise) {
    const LayerProfile today = generatedProfile("llama-2-7b", {});
    EXPECT_EQ(today.elementBytes, 2);
    EXPECT_NE(today.source.find("H100-SXM5-80GB at bf16"), std::string::npos) << today.source;
    EXPECT_EQ(storedBytes(today.layers[1], ActivationCause::scores), 0);
    EXPECT_EQ(today, generatedProfile("llama-2-7b", {{"attention", "fused"}, {"sequence_length", 4096}}));
    // The same network put together from parameters keeps what it had.
    const LayerProfile family = generatedProfile("llama", {});
    EXPECT_EQ(family.elementBytes, 4);
    EXPECT_TRUE(family.layers[1].storedParts.empty());
    EXPECT_EQ(family, generatedProfile("llama", {{"attention", "stored"}}));
}

TEST(GeneratedProfile, TheSameNetworkIsTheSameInBothWays) {
    const ParameterValues stored = {{"attention", "stored"}};
    const NetworkDescription row = network("llama-2-7b", stored), family = network("llama", stored);
    ASSERT_EQ(row.layers.size(), family.layers.size());
    for (std::size_t layer = 0; layer + 1 < row.layers.size(); ++layer) {
        EXPECT_EQ(row.layers[layer].parameters(), family.layers[layer].parameters());
        EXPECT_EQ(row.layers[layer].forwardFlops(), family.layers[layer].forwardFlops());
        // The family drops scores at a rate that may be 0, and keeps what that makes.
        const double dropped = layer == 0 ? 0 : 2.0 * 32 * 4096 * 4096;
        EXPECT_EQ(row.layers[layer].storedBytes(2) + dropped, family.layers[layer].storedBytes(2));
        EXPECT_EQ(row.layers[layer].deferredElements(), family.layers[layer].deferredElements());
        EXPECT_EQ(row.layers[layer].outputElements, family.layers[layer].outputElements);
    }
}

TEST(GeneratedProfile, FusedAttentionOfAFamilyKeepsNoScores) {
    for (const char* family : {"gpt-2", "llama", "mixtral"}) {
        const NetworkLayer stored = network(family, {{"depth", 1}}).layers[1];
        const NetworkLayer fused = network(family, {{"depth", 1}, {"attention", "fused"}}).layers[1];
        EXPECT_EQ(fused.forwardFlops(), stored.forwardFlops()) << family;
        EXPECT_EQ(fused.parameters(), stored.parameters()) << family;
        const int length = std::get<int>(defaultValues(modelNamed(family).parameters).at("sequence_length"));
        const int heads = std::get<int>(defaultValues(modelNamed(family).parameters).at("heads"));
        const double scores = static_cast<double>(heads) * length * length;
        EXPECT_EQ(stored.storedBytes(2) - fused.storedBytes(2), 2 * 2 * scores - 4.0 * heads * length)
            << family;
    }
}

TEST(GeneratedProfile, TimesAtOtherSizesAreThoseOfAProfileOfThatSize) {
    const LayerProfile several =
        generatedProfile("resnet-50", {{"microbatch_size", 4}, {"microbatch_sizes", "8,1,4,2"}});
    EXPECT_EQ(several.microbatchSize, 4);
    ASSERT_EQ(several.otherSizes.size(), 3u);
    const int sizes[] = {1, 2, 8};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(several.otherSizes[i].microbatchSize, sizes[i]);
        const LayerProfile alone = generatedProfile("resnet-50", {{"microbatch_size", sizes[i]}});
        for (std::size_t layer = 0; layer < alone.layers.size(); ++layer)
            EXPECT_EQ(several.otherSizes[i].layers[layer],
                      (LayerTimes{alone.layers[layer].forwardS, alone.layers[layer].backwardS,
                                  alone.layers[layer].weightGradientS}));
    }
}

TEST(GeneratedProfile, TheFirstOfSeveralSizesIsTheProfilesOwn) {
    const LayerProfile profile = generatedProfile("vgg-16", {{"microbatch_sizes", "2,1"}});
    EXPECT_EQ(profile.microbatchSize, 2);
    ASSERT_EQ(profile.otherSizes.size(), 1u);
    EXPECT_EQ(profile.otherSizes[0].microbatchSize, 1);
}

TEST(GeneratedProfile, PrecisionsUseTheirOwnPeaksAndBytes) {
    const ParameterValues a100 = {{"gpu", "A100-SXM4-80GB"}, {"depth", 2}};
    const auto at = [&](const std::string& precision) {
        ParameterValues values = a100;
        values["precision"] = precision;
        return generatedProfile("gpt-2", values);
    };
    EXPECT_LT(at("tf32").layers[1].forwardS, at("fp32").layers[1].forwardS);
    EXPECT_LT(at("fp16").layers[1].forwardS, at("tf32").layers[1].forwardS);
    EXPECT_EQ(at("bf16").layers, at("fp16").layers);
    EXPECT_EQ(at("tf32").layers[1].parameterBytes, at("fp32").layers[1].parameterBytes);
    EXPECT_EQ(2 * at("bf16").layers[1].parameterBytes, at("fp32").layers[1].parameterBytes);
    EXPECT_EQ(findGpu("MI100-32GB")->bf16Flops, 92.3e12);  // half of its FP16
    EXPECT_EQ(findGpu("MI210-64GB")->bf16Flops, findGpu("MI210-64GB")->halfFlops);
    EXPECT_NE(complaintOfModel("gpt-2", {{"precision", "bf16"}}).find("V100-SXM2-16GB has no bf16"),
              std::string::npos);
}

TEST(GeneratedProfile, TheSourceTellsTheStatedEfficiency) {
    const std::string source =
        generatedProfile("vgg-16", {{"convolution_efficiency", 0.37}, {"image_size", 64}}).source;
    EXPECT_NE(source.find("x 0.37 for convolutions"), std::string::npos);
    EXPECT_NE(source.find("Images of 64 x 64"), std::string::npos);
    EXPECT_EQ(source.find("as published"), std::string::npos) << "VGG's parameters depend on the image size";
}

// Every expert's weights are there and read; a token computes with some.
TEST(GeneratedProfile, ExpertsCostMemoryAndOnlyTheActiveOnesTime) {
    const auto block = [](int experts, int active) {
        return network("llama", {{"depth", 1}, {"experts", experts}, {"active_experts", active}}).layers[1];
    };
    const double weights = 3.0 * 4096 * 11008;
    EXPECT_EQ(block(8, 2).parameters() - block(4, 2).parameters(), 4 * weights + 4 * 4096);
    const double tokens = 4096;
    EXPECT_EQ(block(8, 3).forwardFlops() - block(8, 2).forwardFlops(), 2 * tokens * weights);
}

TEST(GeneratedProfile, SharedKeysAndValuesNeedFewerParameters) {
    const auto block = [](int keyValueHeads) {
        return network("llama", {{"depth", 1}, {"kv_heads", keyValueHeads}}).layers[1];
    };
    EXPECT_EQ(block(32).parameters() - block(8).parameters(), 2 * 4096.0 * 4096 * 3 / 4);
}

// A step cannot start before the one before has ended, and reads all recurrent weights.
TEST(GeneratedProfile, RecurrentWeightsAreReadAtEveryStep) {
    const NetworkLayer decoder = network("gnmt", {{"sequence_length", 20}}).layers.back();
    EXPECT_EQ(decoder.operations.front().weightReads, 1);
    double reads = 0;
    for (const NetworkLayer& layer : network("gnmt", {{"sequence_length", 20}}).layers)
        for (const Operation& operation : layer.operations)
            if (operation.name == "LSTM recurrent products") reads += operation.weightReads;
    EXPECT_EQ(reads, 20 * (8 + 1 + 8));  // the encoder's first layer runs both ways
}

TEST(GeneratedProfile, WrongRequestsSayWhatIsWrong) {
    const auto says = [](const std::string& message, const char* part) {
        return message.find(part) != std::string::npos;
    };
    EXPECT_PRED2(says, complaintOfModel("bert-larg", {}), "did you mean 'bert-large'");
    EXPECT_PRED2(says, complaintOfModel("vgg-19", {{"depth", 3}}), "no parameter 'depth'");
    EXPECT_PRED2(says, complaintOfModel("bert-large", {{"depth", 0}}), "between 1 and 4096");
    EXPECT_PRED2(says, complaintOfModel("bert-large", {{"heads", 7}}), "heads that divide the width");
    EXPECT_PRED2(says, complaintOfModel("llama", {{"kv_heads", 5}}), "kv_heads that divide");
    EXPECT_PRED2(says, complaintOfModel("mixtral", {{"active_experts", 9}}), "active experts");
    EXPECT_PRED2(says, complaintOfModel("amoebanet-d", {{"depth", 10}}), "3 divides");
    EXPECT_PRED2(says, complaintOfModel("vgg-19", {{"image_size", 8}}), "between 32 and");
    EXPECT_PRED2(says, complaintOfModel("vgg-19", {{"gpu", "V100"}}), "one of");
    EXPECT_PRED2(says, complaintOfModel("vgg-19", {{"microbatch_sizes", "1,,2"}}), "with commas between");
    EXPECT_PRED2(says, complaintOfModel("vgg-19", {{"microbatch_sizes", "1,2,"}}), "with commas between");
    EXPECT_PRED2(says, complaintOfModel("vgg-19", {{"microbatch_sizes", "0"}}), "1 or more");
    EXPECT_PRED2(says, complaintOfModel("vgg-19", {{"matrix_efficiency", 0.0}}), "between 0.001 and 1");
}

}  // namespace
}  // namespace stagecraft
