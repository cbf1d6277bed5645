#include "core/schedules/families.h"
#include "core/schedules/one_forward_one_backward.h"
#include "tests/core/support/golden_cases.h"
#include "tests/core/support/pe_queues.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace stagecraft;

namespace {

int peakInFlight(const std::vector<StageOp>& order) {
    int inFlight = 0, peak = 0;
    for (const StageOp& op : order) {
        inFlight += op.kind == TaskKind::forward ? 1 : -1;
        peak = std::max(peak, inFlight);
    }
    return peak;
}

}  // namespace

TEST(Schedule, PeInClosedFormEqualsTheQueuesOfAlgorithmOne) {
    for (int stages = 1; stages <= 7; ++stages)
        for (int microbatches = 1; microbatches <= 30; ++microbatches) {
            const auto byQueues = stagecraft::testing::peOrderByQueues(stages, microbatches);
            for (int stage = 0; stage < stages; ++stage)
                ASSERT_EQ(findScheduleFamily("pe")->order(stage, stages, microbatches, {}),
                          byQueues[static_cast<std::size_t>(stage)])
                    << "stage " << stage << " of " << stages << ", " << microbatches << " microbatches";
        }
}

TEST(Schedule, PeakInFlightIsWhatEachFamilyPromises) {
    const ScheduleFamily* gpipe = findScheduleFamily("gpipe");
    ASSERT_NE(gpipe, nullptr);
    for (int stages = 1; stages <= 6; ++stages)
        for (int microbatches = 1; microbatches <= 40; ++microbatches)
            for (int stage = 0; stage < stages; ++stage) {
                EXPECT_EQ(peakInFlight(gpipe->order(stage, stages, microbatches, {})), microbatches);
                EXPECT_EQ(peakInFlight(oneForwardOneBackwardOrder(stage, stages, microbatches, {})),
                          std::min(microbatches, stages - stage));
                EXPECT_EQ(peakInFlight(findScheduleFamily("pe")->order(stage, stages, microbatches, {})),
                          std::min(microbatches, 4 * (stages - 1 - stage) + 1));
            }
}

TEST(Schedule, EveryFamilyHasANameOfItsOwnAndATitle) {
    std::set<std::string> ids, titles;
    for (const ScheduleFamily& family : scheduleFamilies()) {
        EXPECT_TRUE(ids.insert(family.id).second) << family.id;
        EXPECT_TRUE(titles.insert(family.title).second) << family.title;
        EXPECT_NE(family.id, "");
        EXPECT_NE(family.title, "");
        EXPECT_EQ(findScheduleFamily(family.id), &family);
    }
}

TEST(Schedule, EveryFamilyRunsEveryMicrobatchOnceForwardThenBackward) {
    for (const ScheduleFamily& family : scheduleFamilies()) {
        if (!family.order) continue;
        for (int stage = 0; stage < 5; ++stage) {
            const std::vector<StageOp> order = family.order(stage, 5, 12, {});
            ASSERT_EQ(order.size(), 24u) << family.id;
            for (int microbatch = 0; microbatch < 12; ++microbatch) {
                const auto forward =
                    std::find(order.begin(), order.end(), StageOp{TaskKind::forward, microbatch});
                const auto backward =
                    std::find(order.begin(), order.end(), StageOp{TaskKind::backward, microbatch});
                ASSERT_NE(forward, order.end()) << family.id;
                ASSERT_NE(backward, order.end()) << family.id;
                EXPECT_LT(forward, backward) << family.id;
            }
        }
    }
}

TEST(Schedule, ChannelOrderUnderPeFollowsPassesThenBlocks) {
    // Two stages, five microbatches: forward transfers are block 2, backward ones block 4, so that forward
    // m + 2 goes with, and before, backward m.
    std::string text;
    for (const ChannelOp& op : findScheduleFamily("pe")->channelOrder(0, 2, 5))
        text += (op.backward ? "b" : "f") + std::to_string(op.microbatch);
    EXPECT_EQ(text, "f0f1f2b0f3b1f4b2b3b4");
}

TEST(Schedule, UnknownFamiliesAreNotFound) {
    EXPECT_EQ(findScheduleFamily("no-such-family"), nullptr);
    ASSERT_NE(findScheduleFamily("pe"), nullptr);
    EXPECT_NE(findScheduleFamily("pe")->channelOrder, nullptr);
}

TEST(Schedule, PeOrdersAreTheReference) {
    const auto golden = stagecraft::testing::goldenCase("spp-05-pe-order");
    const nlohmann::json& cases = golden.input.at("cases");
    ASSERT_FALSE(cases.empty());
    for (std::size_t each = 0; each < cases.size(); ++each) {
        const int stages = cases[each].at("S"), microbatches = cases[each].at("M");
        for (int stage = 0; stage < stages; ++stage) {
            // The reference counts from 1 and writes the last stage's forward and backward as one block.
            std::vector<std::string> order;
            for (const StageOp& op : findScheduleFamily("pe")->order(stage, stages, microbatches, {})) {
                const bool last = stage == stages - 1, forward = op.kind == TaskKind::forward;
                if (last && forward) continue;
                order.push_back((last ? "FB" : forward ? "F" : "B") + std::to_string(op.microbatch + 1));
            }
            EXPECT_EQ(golden.expected.at("orders")[each].at(std::to_string(stage + 1)),
                      nlohmann::json(order));
        }
    }
}
