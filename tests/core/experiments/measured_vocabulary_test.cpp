// Predictions against pipelines that were measured with the head on their last stage and with the head shared
// out: Yeung et al., MLSys 2025.
#include "tests/support/every_room.h"
#include "tests/support/measured_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace stagecraft {
namespace {

using testing::errorOf, testing::predictedRows;

TEST(MeasuredVocabulary, EveryRunTakesWhatItIsPredictedToWithinThreePercent) {
    int shared = 0;
    const auto rows = predictedRows("vocabulary");
    for (const MeasuredPrediction& row : rows) {
        shared += row.family != "1f1b";
        EXPECT_LE(std::abs(errorOf(row)), row.family != "1f1b" ? 0.03 : 0.016) << row.row->name;
    }
    EXPECT_EQ(shared, 15);
    EXPECT_EQ(rows.size(), 25u);
    EXPECT_TRUE(runOfRow(*rows.back().row).evaluation->valid());
}

/// What the paper is about: the head on the last stage holds all others up, layers moved away from there
/// help, a share for each device more; the order of the three ways is that of the runs.
TEST(MeasuredVocabulary, MethodsComeInTheMeasuredOrder) {
    std::map<std::string, std::vector<std::pair<double, double>>> bySetting;
    for (const MeasuredPrediction& row : predictedRows("vocabulary")) {
        const std::string& name = row.row->name;
        // Behind the method: "…, 2048 tokens, 256000 words".
        const std::string setting = name.substr(name.rfind(',', name.rfind(',') - 1));
        bySetting[setting].emplace_back(row.row->measured, row.predicted.value_or(0));
    }
    ASSERT_EQ(bySetting.size(), 5u);
    for (const auto& [setting, runs] : bySetting)
        for (const auto& [measured, predicted] : runs)
            for (const auto& [otherMeasured, otherPredicted] : runs)
                // Two runs of one setting differ by more than that.
                if (measured > 1.02 * otherMeasured) {
                    EXPECT_GT(predicted, otherPredicted) << setting;
                }
}

}  // namespace
}  // namespace stagecraft
