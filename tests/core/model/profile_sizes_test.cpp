#include "core/model/profile_sizes.h"

#include "core/model/problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

LayerProfile twoLayers() {
    LayerProfile profile;
    profile.source = "By hand";
    profile.microbatchSize = 4;
    profile.layers = {{"a", 4, 8, 100, 40, 44, 48, 4}, {"b", 1, 2, 200, 0, 0, 40, 1}};
    return profile;
}

LayerProfile measuredAtThree() {
    LayerProfile profile = twoLayers();
    profile.otherSizes = {{1, {{3, 5, 2}, {1, 1, 0}}}, {8, {{6, 12, 8}, {4, 6, 3}}}};
    return profile;
}

TEST(ProfileAtSize, ScalesInProportionWhatWasMeasuredOnce) {
    const LayerProfile scaled = profileAtSize(twoLayers(), 2);
    EXPECT_EQ(scaled.microbatchSize, 2);
    EXPECT_EQ(scaled.layers[0], (Layer{"a", 2, 4, 100, 20, 22, 24, 2})) << "parameters stay";
    EXPECT_TRUE(scaled.otherSizes.empty());
    EXPECT_EQ(
        scaled.source,
        "By hand. Microbatches of 2 samples: times in proportion to those at 4, activations in proportion "
        "to those at 4.");
}

TEST(ProfileAtSize, InterpolatesBetweenMeasuredSizesAndKeepsThem) {
    const LayerProfile scaled = profileAtSize(measuredAtThree(), 6);
    EXPECT_EQ(scaled.layers[0].forwardS, 5);
    EXPECT_EQ(scaled.layers[0].backwardS, 10);
    EXPECT_EQ(scaled.layers[0].weightGradientS, 6);
    EXPECT_EQ(scaled.layers[0].outputBytes, 60);
    EXPECT_EQ(measuredSizes(scaled), (std::vector<int>{1, 4, 6, 8}));
    EXPECT_NE(scaled.source.find("interpolated between those at 4 and 8"), std::string::npos)
        << scaled.source;
    const LayerProfile back = profileAtSize(scaled, 4);
    EXPECT_EQ(back.layers, twoLayers().layers) << "what was measured comes back exactly";
}

TEST(ProfileAtSize, PartsFollowTheirWholes) {
    LayerProfile profile = measuredAtThree();
    profile.layers[0].storedParts = {{ActivationCause::input, 12}, {ActivationCause::mlp, 36}};
    profile.layers[0].scoresRecomputeS = 2;
    profile.layers[0].expertParameterBytes = 50;
    profile.layers[0].flops = 30;
    profile.peakFlops = 7;
    const LayerProfile scaled = profileAtSize(profile, 6);
    EXPECT_EQ(storedBytes(scaled.layers[0], ActivationCause::mlp), 54);
    EXPECT_TRUE(storedPartsAddUp(scaled.layers[0]));
    EXPECT_EQ(scaled.layers[0].scoresRecomputeS, 2.5) << "half of the forward, as before";
    EXPECT_EQ(scaled.layers[0].expertParameterBytes, 50);
    EXPECT_EQ(scaled.layers[0].flops, 45);
    EXPECT_FALSE(scaled.layers[1].flops);
    EXPECT_EQ(scaled.peakFlops, 7);
}

TEST(ProfileAtSize, TakesAMeasuredSizeAsItWasMeasured) {
    const LayerProfile scaled = profileAtSize(measuredAtThree(), 1);
    EXPECT_EQ(scaled.layers[1].forwardS, 1);
    EXPECT_EQ(scaled.layers[1].storedActivationBytes, 10);
    EXPECT_NE(scaled.source.find("times as measured at that size"), std::string::npos) << scaled.source;
}

TEST(ProfileAtSize, BeyondTheMeasuredSizesTimesAreInProportion) {
    EXPECT_EQ(profileAtSize(measuredAtThree(), 16).layers[0].forwardS, 12);
}

TEST(ProfileAtSize, TheOwnSizeChangesNothing) {
    EXPECT_EQ(profileAtSize(measuredAtThree(), 4), measuredAtThree());
}

TEST(ProfileAtSize, OperatorsChangeAsTheirLayersDo) {
    LayerProfile profile = measuredAtThree();
    profile.operators.nodes = {{"in", 9, 0, 0, 8, 8, 0, 0},
                               {"x", 1, 2, 0, 8, 8, 8, 1},
                               {"y", 3, 6, 100, 40, 44, 8, 3},
                               {"z", 1, 2, 200, 0, 0, 40, 1}};
    profile.operators.layerOf = {-1, 0, 0, 1};
    const NetworkGraph operators = profileAtSize(profile, 8).operators;
    EXPECT_EQ(operators.nodes[0].forwardS, 18) << "left out: in proportion";
    EXPECT_EQ(operators.nodes[1].forwardS, 1.5);
    EXPECT_EQ(operators.nodes[2].forwardS, 4.5);
    EXPECT_EQ(operators.nodes[3].forwardS, 4);
    EXPECT_EQ(operators.nodes[2].outputBytes, 80);
}

TEST(LeastWork, IsNeverMoreThanThatOfAnyNumberOfReplicas) {
    const LayerProfile profile = measuredAtThree();
    const std::vector<int> sizes = measuredSizes(profile);
    for (int layer = 0; layer < 2; ++layer) {
        const double least = leastWorkS(profile, layer);
        for (int replicas = 1; replicas <= 32; ++replicas) {
            const SizeWeights weights = weightsAtSize(sizes, 4.0 / replicas);
            const auto both = [&](std::size_t size) {
                const LayerTimes times = measuredTimes(profile, layer, sizes[size]);
                return times.forwardS + times.backwardS;
            };
            const double work =
                replicas * (weights.lowWeight * both(weights.low) + weights.highWeight * both(weights.high));
            EXPECT_LE(least, work * (1 + 1e-12)) << replicas;
        }
    }
}

TEST(ProfileAtSize, APlanMayHaveMicrobatchesOfItsOwnSize) {
    Problem asked;
    asked.profile = measuredAtThree();
    asked.setup.microbatches = 6;  // of 4 samples
    Plan plan;
    EXPECT_EQ(problemOf(plan, asked), asked);
    EXPECT_EQ(microbatchesAsked(plan, asked), 6);
    plan.miniBatch = {.microbatches = 3, .microbatchSize = 8};
    const Problem own = problemOf(plan, asked);
    EXPECT_EQ(own.profile, profileAtSize(asked.profile, 8));
    EXPECT_EQ(own.setup.microbatches, 3);
    EXPECT_EQ(own.samplesPerIteration(), asked.samplesPerIteration());
    EXPECT_EQ(microbatchesAsked(plan, asked), 3);
    EXPECT_EQ(problemOf(plan, own), own);
    EXPECT_EQ(microbatchesAsked(plan, own), 3);
    plan.miniBatch.microbatchSize = 5;
    EXPECT_THROW(microbatchesAsked(plan, asked), std::invalid_argument);
}

TEST(Problem, TimesAtOtherSizesMustFitTheLayers) {
    Problem problem;
    problem.cluster.devices = {{"g", "s", "", 1, 1, 0}};
    problem.profile = measuredAtThree();
    EXPECT_FALSE(whyUnplannable(problem));
    problem.profile.otherSizes[0].layers.pop_back();
    EXPECT_TRUE(whyUnplannable(problem));
    problem.profile = measuredAtThree();
    problem.profile.otherSizes[0].microbatchSize = 4;
    EXPECT_TRUE(whyUnplannable(problem)) << "the profile's own size";
    problem.profile = measuredAtThree();
    problem.profile.otherSizes[1].layers[0].weightGradientS = 13;
    EXPECT_TRUE(whyUnplannable(problem)) << "longer than the backward";
}

}  // namespace
}  // namespace stagecraft
