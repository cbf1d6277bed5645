// Profiles that Galvatron, Metis and Sailor measured on tensor-parallel GPUs.
#include "core/cost/divided_profile.h"
#include "core/formats/files/import.h"
#include "core/formats/profiles/import.h"
#include "core/formats/text_file.h"
#include "core/model/indivisible.h"
#include "core/model/measured_gpus.h"
#include "core/model/rank_measurements.h"
#include "examples.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;
using examples::complaint;
using nlohmann::json;

const fs::path profileFolder = fs::path(STAGECRAFT_SOURCE_DIR) / "tests/data/profiles";

/// A few files of the folder as one profile.
ImportedProfile imported(const std::vector<std::string>& names, ProfileImportOptions options = {}) {
    for (std::size_t file = 1; file < names.size(); ++file)
        options.more.push_back(
            {(profileFolder / names[file]).string(), readTextFile(profileFolder / names[file])});
    return importProfile(readTextFile(profileFolder / names[0]), (profileFolder / names[0]).string(),
                         options);
}

bool notes(const ImportedProfile& profile, const std::string& words) {
    return std::ranges::any_of(
        profile.notes, [&](const ImportNote& note) { return note.text.find(words) != std::string::npos; });
}

const char* const opt350 = "sailor/OPT-350/GH-96/profile.json";

}  // namespace

TEST(TensorProfiles, AreToldByTheirContent) {
    for (const auto& [file, kind] : std::vector<std::pair<std::string, FileKind>>{
             {opt350, FileKind::sailorProfile},
             {"sailor/LLAMA-3-8/V100-16/profile.json", FileKind::sailorProfile},
             {"sailor/llm_info.json", FileKind::sailorProfile},
             {"metis/mbs1_tmp2.json", FileKind::metisProfile},
             {"galvatron/bf16_qwen2.5-32b.json", FileKind::galvatronProfile},
             {"galvatron/computation_profiling_bf16_llama-7b_all.json", FileKind::galvatronProfile},
             {"galvatron/memory_profiling_bf16_llama-7b.json", FileKind::galvatronProfile}})
        EXPECT_EQ(detectKind(readTextFile(profileFolder / file)), kind) << file;
    EXPECT_EQ(detectKind(R"({"1": {"1": {"0": [1, 2]}}})"), FileKind::unknown);
    EXPECT_EQ(detectKind(R"({"1": {"1": [1, 2, 3]}})"), FileKind::unknown);
    EXPECT_EQ(detectKind(R"({"1": {"a": {"0": [1, 2, 3]}}})"), FileKind::unknown);
}

/// Numbers of the file by hand: block 2 on one GPU and on two, at one sample and at 16.
TEST(TensorProfiles, SailorsTimesAreTakenAsTheyAre) {
    const LayerProfile profile = imported({opt350}).profile;
    EXPECT_EQ(profile.name, "OPT-350");
    ASSERT_EQ(profile.layerCount(), 26);
    EXPECT_EQ(profile.microbatchSize, 1);
    const Layer& block = profile.layers[2];
    EXPECT_DOUBLE_EQ(block.forwardS, 0.001225);
    EXPECT_DOUBLE_EQ(block.backwardS, 0.002685);
    ASSERT_EQ(profile.otherSizes.size(), 2u);
    EXPECT_EQ(profile.otherSizes[1].microbatchSize, 16);
    EXPECT_DOUBLE_EQ(profile.otherSizes[1].layers[2].backwardS, 0.043999);
    EXPECT_EQ(timedSizesOn(block, {2}), (std::vector<int>{1, 8, 16}));
    EXPECT_EQ(timedSizesOn(block, {4}), (std::vector<int>{1, 8}));
    EXPECT_DOUBLE_EQ(timesOn(block, {2}, 16).forwardS, 0.009701);
    EXPECT_DOUBLE_EQ(timesOn(block, {4}, 1).forwardS, 0.002381) << "longer than alone, at one sample";
    EXPECT_DOUBLE_EQ(timesOn(block, {2}, 12).forwardS, (0.004942 + 0.009701) / 2);
}

TEST(TensorProfiles, SailorsBytesComeFromItsOtherFile) {
    const ImportedProfile both = imported({opt350, "sailor/llm_info.json"});
    const Layer& block = both.profile.layers[2];
    EXPECT_EQ(block.parameterBytes, 50384896);
    EXPECT_EQ(block.outputBytes, 8388608);
    EXPECT_EQ(block.storedActivationBytes, 360726528);
    EXPECT_EQ(parameterBytesOn(block, {4}), 12614656);
    EXPECT_EQ(storedBytesOn(block, {4}, 8), 8 * 109068288.0);
    EXPECT_FALSE(storedBytesOn(block, {2}, 8)) << "the file was cut";
    EXPECT_EQ(imported({"sailor/llm_info.json", opt350}).profile, both.profile) << "in either order";
    EXPECT_TRUE(notes(imported({opt350}), "0 bytes"));
    EXPECT_FALSE(notes(both, "0 bytes"));
}

/// Nothing was measured on fewer than four GPUs: what is taken for one is four times as long.
TEST(TensorProfiles, WhatWasMeasuredOnNoSingleGpuIsAssumed) {
    const ImportedProfile llama = imported({"sailor/LLAMA-3-8/V100-16/profile.json"});
    ASSERT_EQ(llama.profile.layerCount(), 35);
    EXPECT_DOUBLE_EQ(llama.profile.layers[1].forwardS, 4 * 0.1352);
    EXPECT_DOUBLE_EQ(timesOn(llama.profile.layers[1], {4}, 1).forwardS, 0.1352);
    EXPECT_DOUBLE_EQ(timesOn(llama.profile.layers[1], {8}, 1).forwardS, 0.0708);
    EXPECT_TRUE(notes(llama, "nothing was measured on fewer"));
}

/// Files of one network on several types of GPUs: the first is the profile's own. Numbers of the files.
TEST(TensorProfiles, SailorsOtherGpusAreKept) {
    const std::string a100 = "sailor/OPT-350/A100-40/profile.json",
                      v100 = "sailor/OPT-350/V100-16/profile.json";
    const ImportedProfile both = imported({a100, "sailor/llm_info.json", v100});
    EXPECT_EQ(both.profile.layers[2].forwardS, 0.002314);
    EXPECT_EQ(measuredGpus(both.profile), (std::vector<std::string>{"V100-16"}));
    const LayerProfile on = profileOn(both.profile, "V100-16");
    EXPECT_EQ(on.layers[2].forwardS, 0.007321);
    EXPECT_EQ(on.layers[25].backwardS, 0.030124);
    EXPECT_EQ(timesOn(on.layers[2], {4}, 4).backwardS, 0.019837);
    EXPECT_EQ(on.layers[2].parameterBytes, 50384896) << "bytes are of the network";
    EXPECT_TRUE(notes(both, "on V100-16: times of 26 layers"));
    EXPECT_EQ(profileOn(imported({v100, a100}).profile, "A100-40").layers[2].forwardS, 0.002314);
    EXPECT_THROW(imported({a100, a100}), InputError);
    EXPECT_THROW(imported({a100, "sailor/LLAMA-3-8/V100-16/profile.json"}), InputError) << "another model";
}

TEST(TensorProfiles, MetisOtherGpusAreKept) {
    const std::string file = readTextFile(profileFolder / "metis/mbs1_tmp1.json");
    json slower = json::parse(file);
    for (json& each : slower["execution_time"]["layer_compute_total_ms"]) each = each.get<double>() * 3;
    ProfileImportOptions options;
    options.more = {{"p/DeviceType.V100_tp1_bs1.json", slower.dump()}};
    const LayerProfile profile = importProfile(file, "p/DeviceType.A100_tp1_bs1.json", options).profile;
    ASSERT_EQ(measuredGpus(profile), (std::vector<std::string>{"V100"}));
    EXPECT_NEAR(profileOn(profile, "V100").layers[3].forwardS, 3 * profile.layers[3].forwardS, 1e-12);
    options.more.front().file = "p/tp1_bs1.json";
    EXPECT_THROW(importProfile(file, "p/DeviceType.A100_tp1_bs1.json", options), InputError);
}

/// The same measurement in two programs' words.
TEST(TensorProfiles, MetisAndSailorAgreeOnTheSameRuns) {
    const ImportedProfile metis =
        imported({"metis/mbs1_tmp2.json", "metis/mbs16_tmp1.json", "metis/mbs1_tmp1.json"});
    const LayerProfile sailor = imported({opt350, "sailor/llm_info.json"}).profile;
    ASSERT_EQ(metis.profile.layerCount(), 26);
    EXPECT_EQ(metis.profile.name, "OPT-350");
    EXPECT_EQ(metis.profile.microbatchSize, 1);
    ASSERT_EQ(metis.profile.otherSizes.size(), 1u);
    for (std::size_t index = 0; index < 26; ++index) {
        const Layer &own = metis.profile.layers[index], &other = sailor.layers[index];
        EXPECT_NEAR(own.forwardS + own.backwardS, other.forwardS + other.backwardS, 1e-9) << index;
        const LayerTimes two = timesOn(own, {2}, 1), twoOther = timesOn(other, {2}, 1);
        EXPECT_NEAR(two.forwardS + two.backwardS, twoOther.forwardS + twoOther.backwardS, 1e-9) << index;
        EXPECT_DOUBLE_EQ(own.forwardS * 2, own.backwardS);
        EXPECT_EQ(own.parameterBytes, other.parameterBytes);
        EXPECT_EQ(own.outputBytes, other.outputBytes);
    }
    EXPECT_EQ(parameterBytesOn(metis.profile.layers[2], {2}), 25204736);
    EXPECT_TRUE(notes(metis, "a third of a time is forward"));
}

/// Metis' own files say the parameters of the whole layers whatever the degree: then nothing is a rank's.
TEST(TensorProfiles, MetisParametersOfWholeLayersAreDividedEvenly) {
    json file = json::parse(readTextFile(profileFolder / "metis/mbs1_tmp1.json"));
    ProfileImportOptions options;
    options.more = {{"DeviceType.A100_tp4_bs1.json", file.dump()}};
    const LayerProfile profile =
        importProfile(file.dump(), "p/DeviceType.A100_tp1_bs1.json", options).profile;
    EXPECT_NE(profile.source.find("A100"), std::string::npos);
    EXPECT_FALSE(parameterBytesOn(profile.layers[2], {4}));
    EXPECT_DOUBLE_EQ(dividedLayer(profile.layers[2], {4}, 1).parameterBytes, 50384896 / 4.0);
}

/// Numbers of the files by hand; Galvatron's own formulas for what it works out.
TEST(TensorProfiles, GalvatronsForwardsAreDividedAndItsActivationsMeasured) {
    const ImportedProfile qwen = imported({"galvatron/bf16_qwen2.5-32b.json"});
    const LayerProfile& profile = qwen.profile;
    EXPECT_EQ(profile.name, "qwen2.5-32b");
    ASSERT_EQ(profile.layerCount(), 66);
    EXPECT_EQ(profile.elementBytes, 2);
    EXPECT_EQ(profile.divisible.heads, 8);
    const Layer &block = profile.layers[1], &head = profile.layers.back();
    EXPECT_DOUBLE_EQ(block.forwardS, 6.281038475036624e-3);
    EXPECT_DOUBLE_EQ(block.backwardS, 2 * block.forwardS);
    EXPECT_DOUBLE_EQ(profile.otherSizes[1].layers[1].forwardS, 8 * 5.299896764755249e-3);
    EXPECT_DOUBLE_EQ(profile.layers[0].forwardS, 5.786131095886223e-3 / 2);
    constexpr double mebi = 1 << 20;
    EXPECT_DOUBLE_EQ(block.parameterBytes, 1860.3134765625 * mebi / 2) << "of 2 bytes and not of 4";
    EXPECT_DOUBLE_EQ(head.parameterBytes, 12009.0791015625 * mebi / 8);
    EXPECT_DOUBLE_EQ(block.outputBytes, 8192.0 * 5120 * 2);
    Group group{4};
    group.sequenceParallel = true;
    const Layer rank = dividedLayer(block, group, 1);
    EXPECT_DOUBLE_EQ(rank.forwardS, block.forwardS / 4);
    EXPECT_DOUBLE_EQ(rank.storedActivationBytes, 613.343994140625 * mebi);
    EXPECT_DOUBLE_EQ(dividedLayer(head, group, 1).parameterBytes, 3675.09814453125 * mebi / 8);
    // An AllReduce is a gather and a scatter of 3/4 each, two of them forward.
    EXPECT_DOUBLE_EQ(sentInside(block, group).tensorForward, 4 * 0.75 * block.outputBytes);
    EXPECT_FALSE(whyIndivisible(group, profile, 0, 65, 8));
    EXPECT_TRUE(whyIndivisible({16}, profile, 0, 65, 16));
}

TEST(TensorProfiles, GalvatronsPartsAreFilesOfTheirOwn) {
    const json whole = json::parse(readTextFile(profileFolder / "galvatron/bf16_qwen2.5-32b.json"));
    ProfileImportOptions options;
    options.layers = 64;
    options.more = {
        {"computation_profiling_bf16_qwen2.5-32b_all.json", whole["computation_profiling"].dump()}};
    LayerProfile split =
        importProfile(whole["memory_profiling"].dump(), "memory_profiling_bf16_qwen2.5-32b_all.json", options)
            .profile;
    LayerProfile together = imported({"galvatron/bf16_qwen2.5-32b.json"}).profile;
    EXPECT_EQ(split.divisible.heads, 0) << "no file says them";
    split.divisible = together.divisible;
    EXPECT_EQ(split, together);
}

TEST(TensorProfiles, OfSeveralLengthsThatOfTheTimesCounts) {
    const std::string computation = "galvatron/computation_profiling_bf16_llama-7b_all.json",
                      memory = "galvatron/memory_profiling_bf16_llama-7b.json";
    ProfileImportOptions options;
    options.layers = 32;
    const ImportedProfile llama = imported({computation, memory}, options);
    ASSERT_EQ(llama.profile.layerCount(), 34);
    EXPECT_EQ(llama.profile.name, "llama-7b");
    EXPECT_EQ(llama.profile.divisible.tokens, 4096);
    EXPECT_EQ(llama.profile.otherSizes.size(), 11u);
    EXPECT_DOUBLE_EQ(llama.profile.layers[5].storedActivationBytes, 1044.4697265625 * (1 << 20));
    EXPECT_EQ(imported({computation}).profile.layerCount(), 3);
    EXPECT_TRUE(notes(imported({computation}), "--layers"));
}

TEST(TensorProfiles, FaultyFilesAreRefusedWithTheirPlace) {
    const auto sailor = [](const std::string& text, std::vector<ProfileText> more = {}) {
        ProfileImportOptions options;
        options.more = std::move(more);
        return complaint([&] { readSailor(text, "F", options); });
    };
    EXPECT_EQ(sailor(R"({"1": {"1": {"0": [1, 2]}}})"),
              "F: /1/1/0: a layer has 2 numbers; expected seconds of its forward, backward and update");
    EXPECT_EQ(sailor(R"({"1": {"1": {"1": [1, 2, 3]}}})"),
              "F: /1/1: layer 0 is missing; expected all layers from \"0\" on");
    EXPECT_EQ(sailor(R"({"1": {"1": {"0": [1, 2, 3]}, "2": {"0": [1, 2, 3], "1": [1, 2, 3]}}})"),
              "F: /1/2: it has 2 layers; expected 1 as before");
    EXPECT_EQ(sailor(R"({"0": {"1": {"0": [1, 2, 3]}}})"),
              "F: /0: '0' is not a microbatch size; expected a number from 1 to 1000000");
    EXPECT_EQ(sailor(R"({"1": {"1": {"0": [1, -2, 3]}}})").substr(0, 33),
              "F: /1/1/0/1: the number is negati");
    EXPECT_EQ(sailor(R"({"m": {"1": {"0": {"params_floats": 1}}}})"),
              "F: these are bytes of layers without times; expected a profile.json of Sailor with it");
    EXPECT_EQ(
        sailor(R"({"1": {"1": {"0": [1, 2, 3]}}})", {{"G", R"({"m": {"2": {"0": {}}}})"}}).substr(0, 32),
        "G: /m/2/0: the field 'params_flo");
    const auto metis = [](const std::string& file, const std::string& text) {
        return complaint([&] { readMetis(text, file); });
    };
    EXPECT_EQ(
        metis("A100.json", "{}"),
        "A100.json: the name does not say the tensor-parallel degree and the batch size; expected a name as "
        "Metis has it: DeviceType.A100_tp2_bs4.json");
    EXPECT_EQ(metis("a_tp1_bs1.json", "{}"),
              "a_tp1_bs1.json: the field 'model' is missing; expected an object that has it");
    EXPECT_EQ(
        metis("a_tp1_bs1.json", R"({"model": {"parameters": {"parameters_per_layer_bytes": [1]}},
                                          "execution_time": {"layer_compute_total_ms": [1, 2]}})"),
        "a_tp1_bs1.json: /model/parameters/parameters_per_layer_bytes: it has 1 number; expected 2, one "
        "for each layer");
    EXPECT_NE(complaint([&] {
                  imported({"metis/mbs1_tmp1.json", "metis/mbs1_tmp1.json"});
              }).find("were there already"),
              std::string::npos);
    const auto galvatron = [](const std::string& text) {
        return complaint([&] { readGalvatron(text, "F"); });
    };
    EXPECT_EQ(galvatron(R"({"layertype_0_bsz1_seq4096_mlp": 1})"),
              "F: times of a layer's mlp alone; expected fields such as layertype_0_bsz8_seq4096");
    EXPECT_EQ(galvatron(R"({"layertype_0_sp": {}})"),
              "F: this is memory without times; expected Galvatron's computation_profiling_….json with it");
    EXPECT_EQ(
        complaint([&] {
            ProfileImportOptions options;
            options.more = {{"M", R"({"layertype_0_sp": {"2048": {}}})"}};
            importProfile(R"({"layertype_0_bsz1_seq4096": 1, "layernum[1]_bsz1_seq4096": 1})", "F", options);
        }),
        "M: /layertype_0_sp: memory was not measured for samples of 4096 tokens; expected \"4096\", as of "
        "the times");
    EXPECT_NE(complaint([&] {
                  imported({"galvatron/bf16_qwen2.5-32b.json", "galvatron/bf16_qwen2.5-32b.json"});
              }).find("a second file of the same kind"),
              std::string::npos);
    ProfileImportOptions options;
    options.more = {{"G", "x"}};
    EXPECT_EQ(complaint([&] { importProfile("layer,forward (ms)\na,1\n", "F", options); }),
              "G: a second file does not go with what F is; expected one profile at a time");
}

}  // namespace stagecraft
