// XPipe's version differences: two equations, a closed form, and what is counted.
#include "core/weights/version_report.h"
#include "tests/support/every_room.h"
#include "tests/core/support/golden_cases.h"
#include "tests/core/weights/weight_setting.h"

#include <gtest/gtest.h>

#include <random>

namespace stagecraft {
namespace {

using stagecraft::testing::goldenCase;
using weight_setting::Setting;
using weight_setting::unitSetting;

VersionReport reportOf(const Setting& setting) {
    return versionReport(CostModel(setting.problem), setting.plan, setting.timeline);
}

Setting xpipe(int stages, int microbatches, int iterations = 8) {
    return unitSetting(WeightPolicyKind::predicted, stages, microbatches, iterations);
}

TEST(VersionReport, IsTheGoldenCasesSideBySide) {
    for (const char* id : {"xp-01-versions-N2", "xp-02-versions-N4"}) {
        const auto golden = goldenCase(id);
        const int stages = golden.input["N"];
        for (const int microbatches : golden.input["T"]) {
            const auto& expected = golden.expected[std::to_string(microbatches)];
            const VersionReport report = reportOf(xpipe(stages, microbatches));
            ASSERT_EQ(report.stages.size(), static_cast<std::size_t>(stages));
            EXPECT_EQ(report.microbatches, microbatches);
            for (int stage = 0; stage < stages; ++stage) {
                SCOPED_TRACE(std::string(id) + ", T = " + std::to_string(microbatches) + ", GPU " +
                             std::to_string(stage));
                const StageDifferences& own = report.stages[static_cast<std::size_t>(stage)];
                EXPECT_EQ(own.forward.printed, expected["eq1_half_even"][stage]);
                EXPECT_EQ(own.backward.printed, expected["eq2_half_even"][stage]);
                for (const auto& [row, key] :
                     {std::pair{own.forward, "true_fwd"}, std::pair{own.backward, "true_bwd"}}) {
                    EXPECT_EQ(row.exact, expected[key][stage]);
                    EXPECT_EQ(row.countedLeast, expected[key][stage]);
                    EXPECT_EQ(row.countedMost, expected[key][stage]);
                    EXPECT_TRUE(row.exactHolds());
                    EXPECT_EQ(row.printedHolds(), row.printed == expected[key][stage]);
                }
            }
        }
    }
}

TEST(VersionReport, TheClosedFormHoldsForAnyNumberOfGpusWithEqualTimes) {
    for (const int stages : {1, 3, 5, 8, 16, 33})
        for (const int microbatches : {1, 2, 3, 5, 8, 32}) {
            const VersionReport report = reportOf(xpipe(stages, microbatches));
            ASSERT_EQ(report.stages.size(), static_cast<std::size_t>(stages));
            EXPECT_GE(report.miniBatches, 4);
            for (const StageDifferences& own : report.stages)
                EXPECT_TRUE(own.forward.exactHolds() && own.backward.exactHolds())
                    << stages << " GPUs, T = " << microbatches << ", GPU " << own.stage;
        }
}

/// Four GPUs, T = 4: the paper's Fig. 1(b).
TEST(VersionReport, TheEquationsAreWrongOnFigure1) {
    const VersionReport report = reportOf(xpipe(4, 4));
    EXPECT_FALSE(report.stages[0].forward.printedHolds());
    EXPECT_TRUE(report.stages[1].forward.printedHolds());
    EXPECT_FALSE(report.stages[3].forward.printedHolds());
    for (const StageDifferences& own : report.stages) EXPECT_FALSE(own.backward.printedHolds());
}

/// Counts on the timeline itself what a report says of it.
int countedByHand(const Timeline& timeline, int stage, int iteration, BlockKind first) {
    double fromS = 1e300, untilS = 0;
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        if (timeline.iteration[block] != iteration) continue;
        if (timeline.kind[block] == first && timeline.stage[block] == stage)
            fromS = std::min(fromS, timeline.startS[block]);
        if (timeline.kind[block] == BlockKind::backward && timeline.stage[block] == 0)
            untilS = std::max(untilS, timeline.endS[block]);
    }
    int updates = 0;
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block)
        if (timeline.kind[block] == BlockKind::update && timeline.stage[block] == stage &&
            timeline.iteration[block] != iteration && timeline.endS[block] > fromS &&
            timeline.endS[block] <= untilS)
            ++updates;
    return updates;
}

TEST(VersionReport, WithUnequalTimesItIsWhatTheTimelineShowsAndNotTheClosedForm) {
    int closedFormFails = 0, ranges = 0, rows = 0;
    for (unsigned seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed);
        const int stages = 2 + static_cast<int>(random() % 5),
                  microbatches = 1 + static_cast<int>(random() % 4);
        const int iterations = 40;
        Setting setting = xpipe(stages, microbatches, 1);
        // Powers of two apart, so that sums are exact.
        for (Layer& layer : setting.problem.profile.layers) {
            layer.forwardS = 1 + static_cast<double>(random() % 32) / 4;
            layer.backwardS = 1 + static_cast<double>(random() % 32) / 4;
        }
        setting.timeline = simulate(CostModel(setting.problem), setting.plan, {iterations, {}});
        const VersionReport report = reportOf(setting);
        ASSERT_EQ(report.stages.size(), static_cast<std::size_t>(stages));
        for (const StageDifferences& own : report.stages)
            for (const auto& [row, first] :
                 {std::pair{own.forward, BlockKind::forward}, std::pair{own.backward, BlockKind::backward}}) {
                // Somewhere in the middle of the timeline, and within what is reported.
                const int byHand = countedByHand(setting.timeline, own.stage, iterations * 2 / 3, first);
                EXPECT_LE(row.countedLeast, byHand) << "seed " << seed;
                EXPECT_GE(row.countedMost, byHand) << "seed " << seed;
                closedFormFails += row.exactHolds() ? 0 : 1;
                ranges += row.countedLeast < row.countedMost ? 1 : 0;
                ++rows;
            }
    }
    EXPECT_GT(closedFormFails, 10);
    EXPECT_LT(ranges, rows / 2);
}

TEST(VersionReport, ATimelineThatIsTooShortIsReplacedByALongerOne) {
    const VersionReport brief = reportOf(xpipe(6, 1, 2)), lengthy = reportOf(xpipe(6, 1, 60));
    ASSERT_EQ(brief.stages.size(), lengthy.stages.size());
    for (std::size_t stage = 0; stage < brief.stages.size(); ++stage) {
        EXPECT_EQ(brief.stages[stage].forward.countedMost, lengthy.stages[stage].forward.countedMost);
        EXPECT_EQ(brief.stages[stage].backward.countedMost, lengthy.stages[stage].backward.countedMost);
    }
}

TEST(VersionReport, IsOnlyOfPlansThatPredictWithoutABarrier) {
    Setting setting = xpipe(3, 2);
    EXPECT_TRUE(predictsWeights(CostModel(setting.problem), setting.plan));
    setting.plan.weights.kind = WeightPolicyKind::stashing;
    EXPECT_FALSE(predictsWeights(CostModel(setting.problem), setting.plan));
    setting.plan.weights.kind = WeightPolicyKind::predicted;
    setting.problem.setup.mode = TrainingMode::synchronous;
    EXPECT_FALSE(predictsWeights(CostModel(setting.problem), setting.plan));
}

}  // namespace
}  // namespace stagecraft
