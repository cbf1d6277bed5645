#include "core/schedules/version_difference.h"
#include "tests/support/every_room.h"
#include "tests/core/support/golden_cases.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

using stagecraft::testing::goldenCase;
using stagecraft::testing::GoldenCase;

TEST(VersionDifference, FormulaeAreThoseOfTheGoldenCases) {
    for (const char* id : {"xp-01-versions-N2", "xp-02-versions-N4"}) {
        const GoldenCase golden = goldenCase(id);
        const int size = golden.input["N"];
        for (const int microbatches : golden.input["T"]) {
            const nlohmann::json& expected = golden.expected[std::to_string(microbatches)];
            for (int rank = 0; rank < size; ++rank) {
                SCOPED_TRACE(std::string(id) + ", T = " + std::to_string(microbatches) + ", GPU " +
                             std::to_string(rank));
                EXPECT_EQ(printedForwardDifference(size, rank, microbatches),
                          expected["eq1_half_even"][rank]);
                EXPECT_EQ(printedBackwardDifference(rank, microbatches), expected["eq2_half_even"][rank]);
                EXPECT_EQ(exactForwardDifference(size, rank, microbatches), expected["true_fwd"][rank]);
                EXPECT_EQ(exactBackwardDifference(rank, microbatches), expected["true_bwd"][rank]);
            }
        }
    }
}

}  // namespace
}  // namespace stagecraft
