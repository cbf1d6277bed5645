#include "core/editing/profile_edit.h"

#include "core/editing/profile_delta.h"
#include "core/model/problem.h"
#include "tests/core/editing/profile_fixture.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <stdexcept>

namespace stagecraft {
namespace {

LayerProfile chain(int layers) {
    LayerProfile profile;
    for (int i = 0; i < layers; ++i)
        profile.layers.push_back({"l" + std::to_string(i), 1.0 + i, 2.0 + 2 * i, 10, 5, 5, 7, 1.0 + i});
    return profile;
}

std::vector<std::string> names(const LayerProfile& profile) {
    std::vector<std::string> all;
    for (const Layer& layer : profile.layers) all.push_back(layer.name);
    return all;
}

double sum(const LayerProfile& profile, double Layer::*field) {
    return std::accumulate(profile.layers.begin(), profile.layers.end(), 0.0,
                           [&](double total, const Layer& layer) { return total + layer.*field; });
}

std::vector<int> anyLayers(const LayerProfile& profile) {
    std::vector<int> chosen;
    for (int layer = 0; layer < profile.layerCount(); ++layer)
        if (*rc::gen::arbitrary<bool>()) chosen.push_back(layer);
    if (chosen.empty()) chosen.push_back(*rc::gen::inRange(0, profile.layerCount()));
    return chosen;
}

LayerProfile anyEdit(const LayerProfile& profile) {
    const int first = *rc::gen::inRange(0, profile.layerCount());
    const int last = *rc::gen::inRange(first, profile.layerCount());
    std::vector<int> run(static_cast<std::size_t>(last - first + 1));
    std::iota(run.begin(), run.end(), first);
    switch (*rc::gen::inRange(0, 8)) {
        case 0:
            return scaleLayers(profile, anyLayers(profile), ProfileNumbers::times, 3);
        case 1:
            return setLayerNumber(profile, anyLayers(profile),
                                  *rc::gen::element(&Layer::backwardS, &Layer::forwardS,
                                                    &Layer::parameterBytes, &Layer::storedActivationBytes),
                                  6);
        case 2:
            return insertLayers(profile, *rc::gen::inRange(0, profile.layerCount() + 1),
                                {anyLayer("new"), anyLayer("newer")});
        case 3:
            return repeatLayers(profile, first, last, *rc::gen::inRange(2, 4));
        case 4:
            return profile.layerCount() > 1 ? deleteLayers(profile, {first}) : profile;
        case 5:
            return run.size() > 1 ? mergeLayers(profile, run) : profile;
        case 6:
            return operatorsDescribeLayers(profile) ? regroupAfresh(profile) : profile;
        default:
            if (!operatorsDescribeLayers(profile)) return profile;
            const int node = *rc::gen::inRange(0, cutsOf(profile).back() + 1);
            return node < cutsOf(profile).back() && profile.operators.layerOf[std::size_t(node)] >= 0
                       ? toggleCut(profile, node)
                       : profile;
    }
}

RC_GTEST_PROP(ProfileEdit, AnyEditsInARowLeaveAProfileThatCanBePlanned, ()) {
    LayerProfile profile = anyProfile();
    const bool hasNodes = operatorsDescribeLayers(profile);
    for (int step = 0; step < 6 && profile.layerCount() < 60; ++step) {
        profile = anyEdit(profile);
        Problem problem;
        problem.profile = profile;
        problem.cluster.devices = {{"g0", "s", "", 1e9, 1, 0}};
        const auto reason = whyUnplannable(problem);
        if (reason) RC_FAIL(*reason);
        RC_ASSERT(operatorsDescribeLayers(profile) == hasNodes);
    }
}

RC_GTEST_PROP(ProfileEdit, PartsStayPartsOfTheirWholesAfterAnyEdit, ()) {
    LayerProfile profile = anyProfile();
    for (int step = 0; step < 6 && profile.layerCount() < 60; ++step) profile = anyEdit(profile);
    for (const std::vector<Layer>& layers : {profile.layers, profile.operators.nodes})
        for (const Layer& layer : layers) {
            RC_ASSERT(storedPartsAddUp(layer));
            RC_ASSERT(layer.scoresRecomputeS <= layer.forwardS * (1 + 1e-9));
            RC_ASSERT(layer.expertParameterBytes <= layer.parameterBytes * (1 + 1e-9));
        }
}

RC_GTEST_PROP(ProfileEdit, NodesAddUpToTheTimesOfTheirLayerAfterAnyEdit, ()) {
    LayerProfile profile = anyProfile();
    RC_PRE(operatorsDescribeLayers(profile));
    for (int step = 0; step < 4 && profile.layerCount() < 60; ++step) profile = anyEdit(profile);
    std::vector<double> forward(profile.layers.size(), 0), backward(profile.layers.size(), 0);
    for (std::size_t node = 0; node < profile.operators.nodes.size(); ++node) {
        const auto layer = static_cast<std::size_t>(profile.operators.layerOf[node]);
        forward[layer] += profile.operators.nodes[node].forwardS;
        backward[layer] += profile.operators.nodes[node].backwardS;
    }
    for (std::size_t layer = 0; layer < forward.size(); ++layer) {
        RC_ASSERT(std::abs(forward[layer] - profile.layers[layer].forwardS) < 1e-9);
        RC_ASSERT(std::abs(backward[layer] - profile.layers[layer].backwardS) < 1e-9);
    }
}

RC_GTEST_PROP(ProfileDelta, LeadsFromAnyProfileToAnyOtherAndBack, ()) {
    const LayerProfile before = anyProfile();
    const LayerProfile after = *rc::gen::arbitrary<bool>() ? anyEdit(before) : anyProfile();
    const ProfileDelta delta = profileDelta(before, after);
    LayerProfile profile = before;
    delta.apply(profile);
    RC_ASSERT(profile == after);
    delta.revert(profile);
    RC_ASSERT(profile == before);
    RC_ASSERT(delta.isEmpty() == (before == after));
}

TEST(ProfileDelta, IsAsLargeAsTheDifference) {
    const LayerProfile before = chain(1000);
    const ProfileDelta edited = profileDelta(before, setLayerNumber(before, {7, 800}, &Layer::forwardS, 3));
    EXPECT_EQ(edited.layers.changed.size(), 2u);
    const ProfileDelta deleted = profileDelta(before, deleteLayers(before, {500}));
    EXPECT_EQ(deleted.layers.before.size(), 1u);
    EXPECT_EQ(deleted.layers.after.size(), 0u);
}

TEST(ProfileEdit, ScalingChangesOnlyWhatItIsAskedFor) {
    LayerProfile before = chain(3);
    before.otherSizes = {{2, {{1, 2, 1}, {1, 2, 1}, {1, 2, 1}}}};
    const LayerProfile times = scaleLayers(before, {1}, ProfileNumbers::times, 0.5);
    EXPECT_EQ(times.layers[1].forwardS, 1);
    EXPECT_EQ(times.layers[1].weightGradientS, 1);
    EXPECT_EQ(times.layers[1].outputBytes, 5);
    EXPECT_EQ(times.layers[0], before.layers[0]);
    EXPECT_EQ(times.otherSizes[0].layers[1].backwardS, 1);
    EXPECT_EQ(times.otherSizes[0].layers[2].backwardS, 2);
    const LayerProfile activations = scaleLayers(before, {0, 1, 2}, ProfileNumbers::activations, 2);
    EXPECT_EQ(activations.layers[2].storedActivationBytes, 14);
    EXPECT_EQ(activations.layers[2].forwardS, 3);
    EXPECT_EQ(activations.otherSizes, before.otherSizes);
    EXPECT_EQ(scaleLayers(before, {2}, ProfileNumbers::parameters, 0).layers[2].parameterBytes, 0);
}

TEST(ProfileEdit, WhatCannotBeDoneIsRefusedInASentence) {
    const LayerProfile profile = chain(4);
    const auto why = [](const auto& edit) -> std::string {
        try {
            edit();
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(why([&] { mergeLayers(profile, {0, 2}); }).find("not neighbours"), std::string::npos);
    EXPECT_NE(why([&] { mergeLayers(profile, {1}); }).find("One layer alone"), std::string::npos);
    EXPECT_NE(why([&] { deleteLayers(profile, {0, 1, 2, 3}); }).find("at least one"), std::string::npos);
    EXPECT_NE(why([&] { deleteLayers(profile, {4}); }).find("no layer 4"), std::string::npos);
    EXPECT_NE(why([&] { splitLayers(profile, {1}); }).find("does not know the nodes"), std::string::npos);
    EXPECT_NE(why([&] { setLayerNumber(profile, {1}, &Layer::weightGradientS, 99); }).find("longer"),
              std::string::npos);
    EXPECT_NE(why([&] { scaleLayers(profile, {1}, ProfileNumbers::times, -1); }).find("factor"),
              std::string::npos);
    EXPECT_NE(why([&] { repeatLayers(profile, 0, 3, 1); }).find("at least 2"), std::string::npos);
}

TEST(ProfileEdit, TheWeightGradientKeepsItsShareOfAnEditedBackward) {
    const LayerProfile profile = chain(2);
    EXPECT_EQ(setLayerNumber(profile, {1}, &Layer::backwardS, 8).layers[1].weightGradientS, 4);
    EXPECT_EQ(setLayerNumber(profile, {1}, &Layer::backwardS, 0).layers[1].weightGradientS, 0);
}

TEST(ProfileEdit, WhatIsKeptForTheWeightGradientIsSetOrLeftToTheDefault) {
    const LayerProfile profile = chain(3);
    const LayerProfile set = setWeightGradientBytes(profile, {0, 2}, 5);
    EXPECT_EQ(set.layers[0].weightGradientBytes, 5);
    EXPECT_EQ(set.layers[1].weightGradientBytes, std::nullopt);
    EXPECT_EQ(set.layers[0].keptForWeightGradient(), 5);
    EXPECT_EQ(set.layers[1].keptForWeightGradient(), 3.5);
    EXPECT_EQ(setWeightGradientBytes(set, {0, 2}, std::nullopt), profile);
    EXPECT_THROW(setWeightGradientBytes(profile, {0}, -1), std::invalid_argument);
    EXPECT_THROW(setWeightGradientBytes(profile, {3}, 1), std::invalid_argument);
}

TEST(ProfileEdit, CopiesOfARunFollowOneAnother) {
    LayerProfile profile = chain(4);
    EXPECT_EQ(names(repeatLayers(profile, 1, 2, 3)),
              (std::vector<std::string>{"l0", "l1", "l2", "l1 (2)", "l2 (2)", "l1 (3)", "l2 (3)", "l3"}));
    // l1 and l2 read l0; l3 reads both and l0.
    profile.edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {0, 3}};
    const std::vector<LayerEdge> expected = {{0, 1}, {2, 3}, {0, 2}, {2, 4}, {3, 5}, {4, 5}, {0, 5}};
    EXPECT_EQ(repeatLayers(profile, 1, 2, 2).edges, expected);
}

TEST(ProfileEdit, WhatReadADeletedLayerReadsWhatThatRead) {
    LayerProfile profile = chain(4);
    profile.edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
    EXPECT_EQ(deleteLayers(profile, {1}).edges, (std::vector<LayerEdge>{{0, 1}, {1, 2}, {0, 2}}));
    EXPECT_TRUE(deleteLayers(profile, {1, 2}).edges.empty());  // a chain again
}

TEST(ProfileEdit, AnInsertedLayerStandsBetweenTheTwo) {
    LayerProfile profile = chain(3);
    EXPECT_EQ(names(insertLayers(profile, 1, {{"new"}})),
              (std::vector<std::string>{"l0", "new", "l1", "l2"}));
    profile.edges = {{0, 1}, {1, 2}, {0, 2}};
    EXPECT_EQ(insertLayers(profile, 1, {{"new"}}).edges,
              (std::vector<LayerEdge>{{0, 1}, {1, 2}, {2, 3}, {0, 3}}));
}

TEST(ProfileEdit, MergingAddsUpTimesAndKeepsTheOutputThatGoesOn) {
    const LayerProfile profile = chain(4), merged = mergeLayers(profile, {2, 1});
    EXPECT_EQ(merged.layerCount(), 3);
    EXPECT_EQ(merged.layers[1].forwardS, 5);
    EXPECT_EQ(merged.layers[1].outputBytes, 5);
    EXPECT_EQ(sum(merged, &Layer::backwardS), sum(profile, &Layer::backwardS));
    EXPECT_EQ(sum(merged, &Layer::parameterBytes), sum(profile, &Layer::parameterBytes));
}

TEST(ProfileEdit, MergingAddsUpPartsAndCountsSilenceAsOther) {
    LayerProfile profile = chain(3);
    profile.layers[1].storedActivationBytes = 10;
    profile.layers[1].storedParts = {{ActivationCause::input, 4}, {ActivationCause::scores, 6}};
    profile.layers[1].scoresRecomputeS = 1;
    const Layer merged = mergeLayers(profile, {0, 1, 2}).layers[0];
    const double silent = profile.layers[0].storedActivationBytes + profile.layers[2].storedActivationBytes;
    EXPECT_EQ(merged.storedParts, (std::vector<StoredPart>{{ActivationCause::input, 4},
                                                           {ActivationCause::scores, 6},
                                                           {ActivationCause::other, silent}}));
    EXPECT_EQ(merged.scoresRecomputeS, 1);
    EXPECT_TRUE(mergeLayers(profile, {0, 1}).layers[1].storedParts.empty()) << "nothing was known of it";
    const LayerProfile set = setLayerNumber(profile, {1}, &Layer::storedActivationBytes, 5);
    EXPECT_EQ(storedBytes(set.layers[1], ActivationCause::scores), 3);
    EXPECT_TRUE(setLayerNumber(setLayerNumber(profile, {1}, &Layer::storedActivationBytes, 0), {1},
                               &Layer::storedActivationBytes, 5)
                    .layers[1]
                    .storedParts.empty());
}

TEST(ProfileEdit, MergedLayersKnowTheirFlopsIfAllPartsDo) {
    LayerProfile profile = chain(3);
    profile.layers[0].flops = 4;
    profile.layers[1].flops = 5;
    EXPECT_EQ(mergeLayers(profile, {0, 1}).layers[0].flops, 9);
    EXPECT_FALSE(mergeLayers(profile, {1, 2}).layers[1].flops);
    EXPECT_FALSE(mergeLayers(profile, {0, 1}).forwardFlops());
    profile.layers[2].flops = 0;
    EXPECT_EQ(mergeLayers(profile, {0, 1, 2}).forwardFlops(), 9);
    EXPECT_EQ(scaleLayers(profile, {0}, ProfileNumbers::times, 3).forwardFlops(), 9) << "the network is the same";
}

TEST(ProfileEdit, OtherLayersKeepWhatWasEditedWhenGroupsChange) {
    LayerProfile profile;
    profile.operators = {chain(6).layers, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}}, {0, 0, 0, 0, 0, 0}};
    groupOperators(profile, {1, 3, 5});
    profile = setLayerNumber(profile, {0}, &Layer::storedActivationBytes, 12345);
    profile = renameLayers(profile, {0}, "stem");
    const LayerProfile split = splitLayers(profile, {1});
    EXPECT_EQ(split.layerCount(), 4);
    EXPECT_EQ(split.layers[0], profile.layers[0]);
    const LayerProfile merged = mergeLayers(split, {1, 2});
    EXPECT_EQ(merged, profile);
    EXPECT_EQ(toggleCut(profile, 1).layerCount(), 2);
    EXPECT_EQ(toggleCut(profile, 0).layerCount(), 4);
    EXPECT_EQ(toggleCut(toggleCut(profile, 2), 2), profile);
}

}  // namespace
}  // namespace stagecraft
