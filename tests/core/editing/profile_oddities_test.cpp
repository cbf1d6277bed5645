#include "core/editing/profile_oddities.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

using Oddity = ProfileOddity::Kind;

LayerProfile ordinary() {
    LayerProfile profile;
    for (int i = 0; i < 40; ++i)
        profile.layers.push_back({"block " + std::to_string(i), 1, 2, 100, 10, 10, 30, 1});
    return profile;
}

/// What is odd once layer 5 is as `change` makes it.
template <class Change>
std::vector<Oddity> kindsAfter(Change change) {
    LayerProfile profile = ordinary();
    change(profile.layers[5]);
    std::vector<Oddity> kinds;
    for (const ProfileOddity& oddity : profileOddities(profile)) {
        EXPECT_EQ(oddity.layer, 5);
        EXPECT_TRUE(oddity.text.starts_with("layer 5 (")) << oddity.text;
        kinds.push_back(oddity.kind);
    }
    return kinds;
}

TEST(ProfileOddities, AnOrdinaryProfileHasNone) { EXPECT_TRUE(profileOddities(ordinary()).empty()); }

TEST(ProfileOddities, EachKindIsFoundAtItsLayerAndNoOther) {
    using Oddities = std::vector<Oddity>;
    EXPECT_EQ(kindsAfter([](Layer& l) { l.forwardS = l.backwardS = 0; }), Oddities{Oddity::noTime});
    EXPECT_EQ(kindsAfter([](Layer& l) { l.forwardS = 0; }), Oddities{Oddity::noForward});
    EXPECT_EQ(kindsAfter([](Layer& l) { l.backwardS = 0; }), Oddities{Oddity::noBackward});
    EXPECT_EQ(kindsAfter([](Layer& l) { l.backwardS = 0.9; }), Oddities{Oddity::quickBackward});
    EXPECT_EQ(kindsAfter([](Layer& l) { l.forwardS = l.backwardS = 7; }), Oddities{Oddity::jump});
    EXPECT_EQ(kindsAfter([](Layer& l) { l.forwardS = l.backwardS = 0.3; }), Oddities{Oddity::jump});
    EXPECT_EQ(kindsAfter([](Layer& l) {
                  l.name = "head", l.forwardS = 30;
                  l.backwardS = 60;
              }),
              Oddities{Oddity::heavy});
    EXPECT_EQ(kindsAfter([](Layer& l) { l.outputGradientBytes = 50; }), Oddities{Oddity::gradientDiffers});
    EXPECT_EQ(kindsAfter([](Layer& l) { l.storedActivationBytes = 0; }), Oddities{Oddity::nothingStored});
}

TEST(ProfileOddities, WithoutParametersABackwardMayBeQuick) {
    EXPECT_TRUE(kindsAfter([](Layer& l) { l.parameterBytes = 0, l.backwardS = 0.9; }).empty());
}

TEST(ProfileOddities, TheFirstLayerNeedNotStoreItsInput) {
    LayerProfile profile = ordinary();
    profile.layers[0].storedActivationBytes = 0;
    EXPECT_TRUE(profileOddities(profile).empty());
}

}  // namespace
}  // namespace stagecraft
