#include "core/formats/files/import.h"
#include "core/formats/profiles/config_families.h"
#include "core/formats/profiles/profile_format.h"
#include "core/generation/model_tables.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <set>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path models = fs::path(STAGECRAFT_SOURCE_DIR) / "tests/data/models";

std::string textOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

ModelFile described(const std::string& text, const std::string& file = "FILE") {
    const ProfileFormat* format = profileFormatOf(detectKind(text));
    if (!format || !format->describe) throw InputError(file, "", "no model", "a model");
    return format->describe(text, file);
}

ParameterTable tableOf(const std::string& file) {
    return parameterTable(described(textOf(models / file), file).described.model);
}

struct PublishedModel {
    const char* file;
    double total;
    const char* source;
};

const char* const counted = "the released weights";

/// To the parameter.
const PublishedModel publishedModels[] = {
    {"huggingface/deepseek_R1_0528_config.json", 671026419200, "671B in README_WEIGHTS.md of DeepSeek-V3"},
    {"huggingface/qwen3-30B-A3B_config.json", 30532122624, counted},
    {"huggingface/qwen3-8B_config.json", 8190735360, counted},
    {"huggingface/llama3-8b-longrope2_config.json", 8030261248, "the released Llama 3 8B"},
    {"huggingface/Llama-2-7b-hf.json", 6738415616, counted},
    {"huggingface/Llama-2-70b-hf.json", 68976648192, counted},
    {"huggingface/Mistral-7B-v0.1.json", 7241732096, counted},
    {"huggingface/Mixtral-8x7B-v0.1.json", 46702792704, counted},
    {"huggingface/gemma-2-9b.json", 9241705984, counted},
    {"huggingface/gpt2.json", 124439808, counted},
    {"huggingface/gpt-neox-20b.json", 20554567680, "the model card's n_parameters"},
    {"huggingface/opt-1.3b.json", 1315758080, counted},
    {"huggingface/opt-350m.json", 331196416, counted},
    {"huggingface/bloom-560m.json", 559214592, "the model card"},
    {"huggingface/falcon-7b.json", 7217189760 - 65024.0 * 4544,
     "the released weights, which hold the tied matrix twice"},
    {"huggingface/falcon-40b.json", 41835970560 - 65024.0 * 8192, "the released weights, likewise"},
    {"huggingface/phi-2.json", 2779683840, counted},
    {"huggingface/Phi-3-mini-4k-instruct.json", 3821079552, counted},
    {"huggingface/bert-base-uncased.json", 109514298, "BertForMaskedLM, the head's matrix being tied"},
    {"huggingface/t5-base.json", 222903552, counted},
    {"huggingface/flan-t5-base.json", 247577856, counted},
    {"huggingface/vit-base-patch16-224.json", 86567656, counted},
    {"huggingface/DeepSeek-V2-Lite.json", 15706484224, counted},
    {"huggingface/Qwen1.5-MoE-A2.7B.json", 14315784192, counted},
    {"huggingface/Qwen2.5-7B.json", 7615616512, counted},
    {"huggingface/Qwen2.5-0.5B-layer-types.json", 494032768, counted},
    {"simumax/deepseekv3.json", 671026419200 - 58.0 * 256,
     "without the router's biases, of which SimuMax knows nothing"},
    {"simumax/mixtral-8x7b.json", 46702792704, "the released Mixtral 8x7B"},
    {"simumax/llama3-70b.json", 70553706496, "the released Llama 3 70B"},
    {"simumax/llama3-8b.json", 8030261248 + 2.0 * 4096, "the released Llama 3 8B, and a word more"},
};

/// Rounded figures of papers and cards.
const PublishedModel printedModels[] = {
    {"huggingface/gemma-3-4b-it.json", 675e6 + 3209e6, "Gemma 3 report, Table 1, without vision"},
    {"huggingface/gemma-3-12b-it.json", 1012e6 + 10759e6, "Gemma 3 report, Table 1, without vision"},
    {"huggingface/gpt-j-6b.json", 6053381344,
     "the model card's n_parameters; the released weights have 6,050,882,784"},
    {"simumax/deepseekv2.json", 236e9, "DeepSeek-V2 report, abstract"},
    {"simumax/qwen3-32b.json", 32.8e9, "Qwen3's model card"},
    {"simumax/megatron-22b.json", 22e9 + 51200.0 * 6144,
     "Korthikanti et al., Table 3; the head is not tied here"},
    {"simumax/gpt3-175b.json", 175e9 + 51200.0 * 12288, "the same"},
    {"calculon/megatron-1T.json", 1008e9 - 53248.0 * 25600,
     "Narayanan et al., Table 1, without words and positions"},
};

TEST(ModelFiles, HaveThePublishedCountsToTheParameter) {
    for (const PublishedModel& published : publishedModels)
        EXPECT_EQ(tableOf(published.file).total(), published.total)
            << published.file << ": " << published.source;
}

TEST(ModelFiles, PrintedCountsAreMetWithinOnePercent) {
    for (const PublishedModel& published : printedModels)
        EXPECT_NEAR(tableOf(published.file).total(), published.total, 0.01 * published.total)
            << published.file << ": " << published.source;
}

TEST(ModelFiles, ATokenTakesThePublishedNumberOfParameters) {
    EXPECT_NEAR(tableOf("huggingface/deepseek_R1_0528_config.json").active(), 37e9, 0.02 * 37e9);
    EXPECT_EQ(tableOf("huggingface/deepseek_R1_0528_config.json").prediction, 11610068224);
    EXPECT_NEAR(tableOf("huggingface/qwen3-30B-A3B_config.json").active(), 3.3e9, 0.02 * 3.3e9);
    EXPECT_NEAR(tableOf("huggingface/Qwen1.5-MoE-A2.7B.json").active(), 2.7e9, 0.02 * 2.7e9);
    EXPECT_NEAR(tableOf("huggingface/DeepSeek-V2-Lite.json").active(), 2.4e9 + 102400.0 * 2048, 0.1 * 2.4e9);
    EXPECT_EQ(tableOf("huggingface/Mixtral-8x7B-v0.1.json").active(), 12879925248);
}

TEST(ModelFiles, EveryFileIsChecked) {
    std::set<std::string> checked, there;
    for (const PublishedModel& published : publishedModels) checked.insert(published.file);
    for (const PublishedModel& published : printedModels) checked.insert(published.file);
    checked.insert("simumax/llama3-405b_padding_128.json");  // layers and heads of nobody's, padded for a run
    for (const auto& entry : fs::recursive_directory_iterator(models))
        if (entry.path().extension() == ".json")
            there.insert(fs::relative(entry.path(), models).generic_string());
    EXPECT_EQ(checked, there);
}

TEST(ModelFiles, AreRecognisedByContentAndBecomeProfiles) {
    for (const auto& entry : fs::recursive_directory_iterator(models)) {
        if (entry.path().extension() != ".json") continue;
        const ImportedProfile imported = importProfile(textOf(entry.path()), "anything.txt");
        EXPECT_GT(imported.profile.layerCount(), 5) << entry.path();
        EXPECT_EQ(imported.profile.elementBytes, 2) << entry.path();
        EXPECT_FALSE(imported.notes.empty());
        EXPECT_NE(imported.profile.source.find("Parameters by part: "), std::string::npos);
        for (const Layer& layer : imported.profile.layers) {
            EXPECT_GT(layer.forwardS, 0) << entry.path() << " " << layer.name;
            EXPECT_TRUE(storedPartsAddUp(layer)) << entry.path() << " " << layer.name;
            EXPECT_FALSE(layer.storedParts.empty() && layer.storedActivationBytes > 0) << layer.name;
        }
        EXPECT_EQ(readProfile(writeProfile(imported.profile), ""), imported.profile);
    }
}

ImportedProfile importedWith(const std::string& file, ParameterValues values) {
    ProfileImportOptions options;
    options.described = std::move(values);
    return importProfile(textOf(models / file), file, options);
}

TEST(ModelFiles, WhatTheyLeaveOpenIsAnsweredOrAssumedAndSaid) {
    const char* file = "huggingface/deepseek_R1_0528_config.json";
    const ImportedProfile plain = importedWith(file, {}),
                          with = importedWith(file, {{"prediction_layers", true}});
    EXPECT_EQ(with.profile.layerCount(), plain.profile.layerCount() + 1);
    const ImportedProfile shorter = importedWith(file, {{"sequence_length", 1024}, {"attention", "stored"}});
    EXPECT_EQ(shorter.profile.layers[0].outputBytes * 4, plain.profile.layers[0].outputBytes);
    EXPECT_GT(storedBytes(shorter.profile.layers[1], ActivationCause::scores), 0);
    std::string assumed;
    for (const ImportNote& note : plain.notes)
        if (note.kind == ImportNote::Kind::assumed) assumed += note.text;
    EXPECT_EQ(
        assumed,
        "sequence_length=4096, attention=fused, prediction_layers=false, gpu=H100-SXM5-80GB, precision=bf16");
    for (const ImportNote& note : shorter.notes)
        EXPECT_EQ(note.text.find("sequence_length"), std::string::npos) << "it was given";
    bool quantized = false;
    for (const ImportNote& note : plain.notes) quantized |= note.text.starts_with("quantization_config");
    EXPECT_TRUE(quantized);
}

TEST(ModelFiles, WindowsNarrowWhatLayersLookAt) {
    const ModelFile gemma = described(textOf(models / "huggingface/gemma-3-4b-it.json"));
    const TransformerModel& model = gemma.described.model;
    EXPECT_EQ(model.keysOf(0, 8192), 1024);
    EXPECT_EQ(model.keysOf(5, 8192), 8192) << "every sixth layer sees all";
    const TransformerModel second = described(textOf(models / "huggingface/gemma-2-9b.json")).described.model;
    EXPECT_EQ(second.keysOf(0, 8192), 4096);
    EXPECT_EQ(second.keysOf(1, 8192), 8192);
    EXPECT_EQ(described(textOf(models / "huggingface/Qwen2.5-7B.json")).described.model.keysOf(27, 1 << 18),
              1 << 18)
        << "no window is wanted";
}

std::string complaintOf(const std::string& text) {
    try {
        described(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

/// Fields of a configuration changed; null takes them away.
std::string changed(const char* file, const json& changes) {
    json config = json::parse(textOf(models / "huggingface" / file));
    for (const auto& [field, value] : changes.items())
        if (value.is_null())
            config.erase(field);
        else
            config[field] = value;
    return config.dump();
}

TEST(ModelFiles, OlderAndOtherSpellingsAreTheSameField) {
    const double total = tableOf("huggingface/deepseek_R1_0528_config.json").total();
    for (const char* name : {"num_routed_experts", "num_experts", "num_local_experts"})
        EXPECT_EQ(parameterTable(described(changed("deepseek_R1_0528_config.json",
                                                   {{"n_routed_experts", nullptr}, {name, 256}}))
                                     .described.model)
                      .total(),
                  total)
            << name;
    EXPECT_EQ(parameterTable(described(changed("deepseek_R1_0528_config.json",
                                               {{"n_shared_experts", nullptr}, {"num_shared_experts", 1}}))
                                 .described.model)
                  .total(),
              total);
    EXPECT_EQ(
        parameterTable(described(changed("Llama-2-7b-hf.json", {{"model_type", nullptr}})).described.model)
            .total(),
        6738415616)
        << "by its architecture";
}

TEST(ModelFiles, AFieldThatMayChangeTheCountIsNeverPassedOver) {
    EXPECT_EQ(complaintOf(changed("deepseek_R1_0528_config.json",
                                  {{"n_routed_experts", nullptr}, {"n_experts", 256}})),
              "FILE: the field 'num_experts' is missing; expected one of num_experts, num_local_experts, "
              "n_routed_experts, num_routed_experts");
    EXPECT_EQ(
        complaintOf(changed("qwen3-8B_config.json", {{"full_attention_interval", 4}})),
        "FILE: /full_attention_interval: the field 'full_attention_interval' is not known, and may change "
        "the "
        "number of parameters; expected fields of models of the type qwen3; delete it if it changes neither "
        "parameters nor layers");
    EXPECT_NE(complaintOf(changed("qwen3-8B_config.json", {{"use_extra_norm", true}})), "");
    EXPECT_NE(complaintOf(changed("qwen3-8B_config.json", {{"extra", {{"layers", 3}}}})), "");
    // Off, empty or a word: nothing can grow by it.
    for (const json& value : {json(false), json(0), json("word"), json::array(), json::object()})
        EXPECT_EQ(complaintOf(changed("qwen3-8B_config.json", {{"something_new", value}})), "") << value;
}

TEST(ModelFiles, HostileOnesAreRefusedWithFileFieldAndWhatWasExpected) {
    const std::pair<json, const char*> faults[] = {
        {{{"num_hidden_layers", 0}}, "FILE: /num_hidden_layers: the number is 0; expected"},
        {{{"num_hidden_layers", 1000000000}}, "FILE: /num_hidden_layers: the number is 1000000000; expected"},
        {{{"num_hidden_layers", "32"}}, "FILE: /num_hidden_layers: found the text \"32\"; expected"},
        {{{"num_hidden_layers", 2.5}}, "FILE: /num_hidden_layers: the number is 2.5; expected"},
        {{{"num_hidden_layers", json::array({1})}}, "FILE: /num_hidden_layers: found an array; expected"},
        {{{"hidden_size", nullptr}},
         "FILE: the field 'hidden_size' is missing; expected one of hidden_size, n_embd"},
        {{{"hidden_size", -4096}}, "FILE: /hidden_size: the number is -4096; expected"},
        {{{"num_attention_heads", 48}, {"num_key_value_heads", 48}},
         "FILE: /num_attention_heads: 48 heads do not divide a width of 4096; expected heads that divide it"},
        {{{"num_key_value_heads", 5}},
         "FILE: /num_key_value_heads: 5 key and value heads do not divide 32 heads; expected heads that "
         "share"},
        {{{"vocab_size", json::object()}}, "FILE: /vocab_size: found an object; expected"},
        {{{"hidden_act", "mish"}}, "FILE: /hidden_act: no activation is called 'mish'; expected one of silu"},
        {{{"model_type", "lama"}},
         "FILE: /model_type: the model type 'lama' is not known (did you mean 'llama'?); "
         "expected one of llama"},
        {{{"model_type", 7}}, "FILE: /model_type: found the number 7; expected"},
        {{{"tie_word_embeddings", "no"}}, "FILE: /tie_word_embeddings: found the text \"no\"; expected"},
        {{{"n_layer", 30}},
         "FILE: /n_layer: the field 'n_layer' says otherwise than 'num_hidden_layers'; expected"},
        {{{"layer_types", {"full_attention"}}},
         "FILE: /layer_types: there is 1 entry; expected one for each"},
        {{{"text_config", json::object()}},
         "FILE: /text_config: the field 'num_hidden_layers' is missing; expected"},
        {{{"text_config", {{"model_type", "llama"}, {"num_hidden_layers", {{"a", {{"b", 1}}}}}}}},
         "FILE: /text_config/num_hidden_layers: found an object; expected"}};
    for (const auto& [changes, complaint] : faults)
        EXPECT_EQ(
            complaintOf(changed("Llama-2-7b-hf.json", changes)).substr(0, std::string(complaint).size()),
            complaint)
            << changes;
    const std::string whole = textOf(models / "huggingface/Llama-2-7b-hf.json");
    EXPECT_NE(complaintOf(whole.substr(0, whole.size() / 2)), "");
    EXPECT_NE(complaintOf(changed("qwen3-30B-A3B_config.json", {{"num_experts_per_tok", 129}}))
                  .find("at most as many"),
              std::string::npos);
    EXPECT_NE(complaintOf(changed("qwen3-30B-A3B_config.json", {{"mlp_only_layers", {48}}})), "");
    EXPECT_NE(
        complaintOf(changed("vit-base-patch16-224.json", {{"patch_size", 17}})).find("do not fill an image"),
        std::string::npos);
    EXPECT_NE(complaintOf(changed("gpt2.json", {{"n_layer", nullptr}})), "");
}

TEST(ModelFiles, OptionsThatDoNotGoWithTheModelAreRefused) {
    try {
        importedWith("huggingface/gpt2.json", {{"sequence_length", 2048}});
        FAIL() << "there are 1024 positions";
    } catch (const InputError& error) {
        EXPECT_EQ(
            std::string(error.what()),
            "huggingface/gpt2.json: a sequence_length of 2048 does not go with a table of 1024 positions; "
            "expected at most as many tokens");
    }
}

TEST(ModelFiles, EveryTypeIsNamedOnce) {
    const std::vector<std::string> types = configTypes();
    EXPECT_EQ(std::set<std::string>(types.begin(), types.end()).size(), types.size());
}

}  // namespace
}  // namespace stagecraft
