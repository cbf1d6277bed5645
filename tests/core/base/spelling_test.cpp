#include "core/base/spelling.h"

#include "tests/support/every_room.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

TEST(Spelling, TheNearestNameIsFoundAndTiesGoToTheFirst) {
    EXPECT_EQ(nearestName("forwrd_s", {"backward_s", "forward_s"}), "forward_s");
    EXPECT_EQ(nearestName("parameter-bytes", {"parameter_bytes"}), "parameter_bytes");
    EXPECT_EQ(nearestName("abx", {"aby", "abz"}), "aby");
}

TEST(Spelling, AnUnfinishedWordMeansTheFirstNameThatBeginsWithIt) {
    EXPECT_EQ(nearestName("v100", {"P100-SXM2-16GB", "V100-SXM2-16GB", "V100-PCIe-32GB"}), "V100-SXM2-16GB");
    EXPECT_EQ(nearestName("V", {"V100-SXM2-16GB"}), "");
}

TEST(Spelling, NothingIsSuggestedForAWordThatIsFarFromAll) {
    EXPECT_EQ(nearestName("colour", {"forward_s", "id"}), "");
    EXPECT_EQ(nearestName("xy", {"id", "a", ""}), "") << "a candidate of which no letter is right is no hint";
    EXPECT_EQ(spellingHint("colour", {"id"}), "");
    EXPECT_EQ(spellingHint("sp", {"spp"}), " (did you mean 'spp'?)");
}

TEST(Spelling, ArticlesAreThoseOfNamesReadAloud) {
    for (const char* name :
         {"an H100", "an A100", "an L40S", "an MI300X", "an RTX 4090", "an NVIDIA H30", "an apple"})
        EXPECT_EQ(withArticle(std::string(name).substr(3)), name);
    for (const char* name :
         {"a V100", "a B200", "a GB200", "a T4", "a P100", "a Gaudi-3", "a Tesla", "a horse"})
        EXPECT_EQ(withArticle(std::string(name).substr(2)), name);
    EXPECT_EQ(withArticle(""), "a ");
}

}  // namespace
}  // namespace stagecraft
