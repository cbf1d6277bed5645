#include "core/model/measured_gpus.h"

#include "core/model/problem_hash.h"
#include "core/model/profile_sizes.h"
#include "core/model/rank_measurements.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

RankMeasurement onGpu(const std::string& gpu, int size, LayerTimes times, int tensor = 1) {
    return {.tensor = tensor, .microbatchSize = size, .times = times, .gpu = gpu};
}

/// Three layers of 1 and 2 s at 4 samples; "V" was measured on the first two, at 2 and 8 samples.
LayerProfile measuredOnV() {
    LayerProfile profile;
    profile.microbatchSize = 4;
    for (const char* name : {"a", "b", "c"}) profile.layers.push_back({name, 1, 2, 0, 0, 0, 0, 1});
    profile.layers[0].scoresRecomputeS = 0.25;
    profile.layers[0].onRanks = {onGpu("V100", 2, {1, 3, 1}), onGpu("V100", 8, {4, 6, 4})};
    profile.layers[1].onRanks = {onGpu("V100", 2, {5, 3, 3}), onGpu("V100", 8, {8, 12, 0})};
    return profile;
}

}  // namespace

TEST(MeasuredGpus, AreKnownByTheirLettersAndNumbers) {
    const std::vector<std::string> measured = {"A100", "A100-40", "GH-96", "RTX-3090", "V100-16"};
    EXPECT_EQ(measuredGpuOf(measured, "NVIDIA A100-SXM4-40GB"), "A100-40") << "the one that says most";
    EXPECT_EQ(measuredGpuOf(measured, "A100-SXM4-80GB"), "A100");
    EXPECT_EQ(measuredGpuOf(measured, "Tesla V100-SXM2-16GB"), "V100-16");
    EXPECT_EQ(measuredGpuOf(measured, "Tesla V100-SXM2-32GB"), "");
    EXPECT_EQ(measuredGpuOf(measured, "NVIDIA GH200 96GB HBM3"), "GH-96");
    EXPECT_EQ(measuredGpuOf(measured, "GeForce rtx 3090"), "RTX-3090");
    EXPECT_EQ(measuredGpuOf(measured, "A10"), "") << "100 is not 10";
    EXPECT_EQ(measuredGpuOf(measured, ""), "");
    EXPECT_EQ(measuredGpuOf({"..."}, "A100"), "") << "a name without a letter is nobody's";
}

TEST(MeasuredGpus, ALayerThatWasNotMeasuredIsAsMuchSlowerAsTheOthers) {
    const LayerProfile profile = measuredOnV();
    ASSERT_EQ(measuredGpus(profile), (std::vector<std::string>{"V100"}));
    const LayerProfile on = profileOn(profile, "V100");
    // Between 2 and 8 samples, a third of the way.
    EXPECT_DOUBLE_EQ(on.layers[0].forwardS, 2);
    EXPECT_DOUBLE_EQ(on.layers[0].backwardS, 4);
    EXPECT_DOUBLE_EQ(on.layers[0].weightGradientS, 2);
    EXPECT_DOUBLE_EQ(on.layers[0].scoresRecomputeS, 0.5);
    EXPECT_DOUBLE_EQ(on.layers[1].forwardS, 6);
    ASSERT_EQ(on.otherSizes.size(), 2u);
    EXPECT_EQ(on.otherSizes[0].microbatchSize, 2);
    EXPECT_EQ(on.otherSizes[1].layers[1], (LayerTimes{8, 12, 0}));
    // At 2 samples the others take 12 s for 3 s here, at 8 samples 30 for 12.
    EXPECT_EQ(on.otherSizes[0].layers[2], (LayerTimes{0.5 * 4, 1 * 4, 0.5 * 4}));
    EXPECT_EQ(on.otherSizes[1].layers[2], (LayerTimes{2 * 2.5, 4 * 2.5, 2 * 2.5}));
    EXPECT_TRUE(measuredGpus(on).empty());
    EXPECT_EQ(on.source, "Times on V100.");
}

TEST(MeasuredGpus, NeedASizeAtWhichAllWereMeasured) {
    LayerProfile profile = measuredOnV();
    profile.layers[2].onRanks = {onGpu("V100", 3, {1, 1, 1})};
    EXPECT_TRUE(measuredGpus(profile).empty());
    profile.layers[2].onRanks.push_back(onGpu("V100", 8, {1, 1, 1}));
    EXPECT_EQ(measuredGpus(profile).size(), 1u);
    EXPECT_EQ(profileOn(profile, "V100").otherSizes.size(), 1u);
    EXPECT_DOUBLE_EQ(profileOn(profile, "V100").layers[0].forwardS, 2) << "in proportion to 8 samples";
    profile.layers[0].onRanks = {onGpu("V100", 8, {1, 1, 1}, 2)};
    EXPECT_EQ(measuredGpus(profile).size(), 1u) << "the first on no single GPU";
}

/// Degrees of the reference: those that were measured on the type, and others as the whole layer is.
TEST(MeasuredGpus, DegreesThatWereNotMeasuredGoByTheWholeLayer) {
    LayerProfile profile = measuredOnV();
    Layer& layer = profile.layers[0];  // twice as slow at 4 samples
    layer.onRanks.insert(
        layer.onRanks.begin(),
        {{.tensor = 2, .microbatchSize = 4, .times = LayerTimes{0.5, 1, 0.5}},
         {.tensor = 4, .microbatchSize = 4, .times = LayerTimes{0.25, 0.75, 0.5}, .parameterBytes = 7}});
    layer.onRanks.push_back(onGpu("V100", 4, {0.5, 0.75, 0.25}, 4));
    layer.onRanks.push_back(onGpu("V100", 4, {9, 9, 9}, 8));
    EXPECT_EQ(timedSizesOn(layer, {4}), (std::vector<int>{4})) << "of the profile's own GPU";
    EXPECT_EQ(timesOn(layer, {4}, 4), (LayerTimes{0.25, 0.75, 0.5}));
    const Layer on = profileOn(profile, "V100").layers[0];
    EXPECT_EQ(timesOn(on, {2}, 4), (LayerTimes{1, 2, 1}));
    EXPECT_EQ(timesOn(on, {4}, 4), (LayerTimes{0.5, 0.75, 0.25}));
    EXPECT_EQ(parameterBytesOn(on, {4}), 7);
    EXPECT_TRUE(timedSizesOn(on, {8}).empty()) << "not measured on the reference";
    EXPECT_TRUE(isMeasuredOn(profile, "V100", {4}));
    EXPECT_FALSE(isMeasuredOn(profile, "V100", {2})) << "it is worked out";
}

TEST(MeasuredGpus, ArePutInPlaceOfWhatWasThere) {
    LayerProfile profile = measuredOnV();
    LayerProfile again;
    again.microbatchSize = 2;
    again.layers.resize(3);
    again.layers[0].forwardS = 7;
    again.layers[1].onRanks = {{.tensor = 2, .microbatchSize = 2, .times = LayerTimes{1, 1, 0}}};
    addMeasurements(again, "V100", profile);
    EXPECT_EQ(profile.layers[0].onRanks.size(), 2u);
    EXPECT_EQ(profile.layers[0].onRanks[0].times->forwardS, 7);
    EXPECT_EQ(profile.layers[1].onRanks.size(), 3u);
    EXPECT_EQ(profile.layers[1].onRanks[2].tensor, 2);
    EXPECT_TRUE(withoutMeasuredGpus(profile).layers[1].onRanks.empty());
}

TEST(MeasuredGpus, ATypeOfADeviceIsPartOfTheProblemWhereItWasMeasured) {
    Problem problem;
    problem.profile = measuredOnV();
    problem.cluster.devices = {{"g0", "s", "A100", 1, 1, 0}, {"g1", "s", "A100", 1, 1, 0}};
    Problem other = problem;
    other.cluster.devices[1].gpu = "V100";
    EXPECT_NE(hashOf(problem).cluster, hashOf(other).cluster);
    const GpuKinds kinds = gpuKinds(other.profile, other.cluster);
    EXPECT_EQ(kinds.gpus, (std::vector<std::string>{"V100"}));
    EXPECT_EQ(kinds.kindOf, (std::vector<int>{0, 1}));
    EXPECT_TRUE(gpuKinds(problem.profile, problem.cluster).areAlike());
    for (Problem* each : {&problem, &other}) each->profile = withoutMeasuredGpus(each->profile);
    EXPECT_EQ(hashOf(problem).cluster, hashOf(other).cluster) << "types are names otherwise";
}

}  // namespace stagecraft
