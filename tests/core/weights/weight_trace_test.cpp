// What charts show of each block's weights.
#include "core/weights/weight_trace.h"
#include "tests/support/every_room.h"
#include "core/weights/weight_use.h"
#include "tests/core/weights/weight_setting.h"

#include <gtest/gtest.h>

#include <set>

namespace stagecraft {
namespace {

using weight_setting::Setting;
using weight_setting::unitSetting;

Setting xpipe(int microbatches) { return unitSetting(WeightPolicyKind::predicted, 4, microbatches, 8); }

TEST(WeightTrace, EveryPassHasWhatWeightUsesSay) {
    for (const WeightPolicyKind policy : {WeightPolicyKind::predicted, WeightPolicyKind::stashing,
                                          WeightPolicyKind::latest, WeightPolicyKind::verticalSync}) {
        const Setting setting = unitSetting(policy, 3, 2, 6);
        const Timeline& timeline = setting.timeline;
        const WeightTrace trace(setting.plan, timeline);
        const PassHistory history(setting.plan, timeline);
        const WeightUses uses(setting.plan, history);
        int most = -100;
        for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
            const BlockKind kind = timeline.kind[block];
            if (kind != BlockKind::forward && kind != BlockKind::backward) continue;
            const bool backward = kind == BlockKind::backward;
            const int stage = timeline.stage[block], iteration = timeline.iteration[block],
                      microbatch = timeline.microbatch[block];
            const MicrobatchUse& use = uses.of(stage, iteration, microbatch);
            const BlockWeights weights = trace.of(block);
            EXPECT_EQ(weights.version, (backward ? use.backward : use.forward).version);
            EXPECT_EQ(weights.ahead, (backward ? use.backward : use.forward).ahead);
            EXPECT_EQ(weights.staleness, uses.staleness(stage, iteration, microbatch, backward));
            most = std::max(most, weights.staleness);
        }
        EXPECT_EQ(trace.maxStaleness(), most);
    }
}

TEST(WeightTrace, AnUpdateMakesTheVersionOfItsNumberAndATransferHasNone) {
    const Setting setting = unitSetting(WeightPolicyKind::stashing, 3, 2, 6);
    const WeightTrace trace(setting.plan, setting.timeline);
    for (std::uint32_t block = 0; block < setting.timeline.blockCount(); ++block) {
        const BlockKind kind = setting.timeline.kind[block];
        const bool transfer = kind == BlockKind::transferForward || kind == BlockKind::transferBackward;
        if (transfer || kind == BlockKind::update) {
            EXPECT_EQ(trace.of(block).version, transfer ? -1 : setting.timeline.iteration[block] + 1);
        }
    }
}

TEST(WeightTrace, TheBellwetherIsTheFirstMicrobatchOfItsMiniBatch) {
    const Setting setting = xpipe(4);
    const WeightTrace trace(setting.plan, setting.timeline);
    for (std::uint32_t block = 0; block < setting.timeline.blockCount(); ++block)
        EXPECT_EQ(trace.of(block).bellwether, setting.timeline.microbatch[block] == 0 &&
                                                  (setting.timeline.kind[block] == BlockKind::forward ||
                                                   setting.timeline.kind[block] == BlockKind::backward));
}

/// Fig. 1: all red arrows of a mini-batch point to where it has been through on GPU 0.
TEST(WeightTrace, PredictionsPointToTheUpdateOfTheirMiniBatchOnTheInputStage) {
    const Setting setting = xpipe(4);
    const Timeline& timeline = setting.timeline;
    const WeightTrace trace(setting.plan, timeline);
    std::set<std::uint32_t> from;
    for (const PredictionArrow& arrow : trace.predictions()) {
        from.insert(arrow.from);
        ASSERT_EQ(timeline.kind[arrow.toUpdate], BlockKind::update);
        EXPECT_EQ(timeline.stage[arrow.toUpdate], 0);
        EXPECT_EQ(timeline.iteration[arrow.toUpdate], timeline.iteration[arrow.from]);
        EXPECT_EQ(arrow.ahead, trace.of(arrow.from).ahead);
        EXPECT_TRUE(trace.of(arrow.from).bellwether);
        EXPECT_LT(timeline.startS[arrow.from], timeline.endS[arrow.toUpdate]);
    }
    EXPECT_EQ(from.size(), 4u * 8 * 2);  // stages, mini-batches, forward and backward
    EXPECT_EQ(trace.predictions().size(), from.size());
}

TEST(WeightTrace, AnArrowCountsTheUpdatesThatItPassesOnItsOwnGpu) {
    const Setting setting = xpipe(2);
    const Timeline& timeline = setting.timeline;
    const WeightTrace trace(setting.plan, timeline);
    int compared = 0;
    for (const PredictionArrow& arrow : trace.predictions()) {
        const int stage = timeline.stage[arrow.from], iteration = timeline.iteration[arrow.from];
        int passed = 0;
        for (std::uint32_t block = 0; block < timeline.blockCount(); ++block)
            if (timeline.kind[block] == BlockKind::update && timeline.stage[block] == stage &&
                timeline.iteration[block] != iteration &&
                timeline.endS[block] > timeline.startS[arrow.from] &&
                timeline.endS[block] <= timeline.endS[arrow.toUpdate])
                ++passed;
        EXPECT_EQ(arrow.ahead, passed) << "stage " << stage << ", mini-batch " << iteration;
        compared += passed > 0 ? 1 : 0;
    }
    EXPECT_GT(compared, 5);
}

TEST(WeightTrace, WithoutPredictionThereAreNoArrowsAndNoBellwethers) {
    const Setting setting = unitSetting(WeightPolicyKind::stashing, 3, 2, 6);
    const WeightTrace trace(setting.plan, setting.timeline);
    EXPECT_TRUE(trace.predictions().empty());
    for (std::uint32_t block = 0; block < setting.timeline.blockCount(); ++block)
        EXPECT_FALSE(trace.of(block).bellwether);
    EXPECT_EQ(trace.maxStaleness(), 1);  // ceil((3 - 1) / 2)
}

TEST(WeightTrace, AnEmptyTimelineIsNoTrouble) {
    const WeightTrace trace(Plan{}, Timeline{});
    EXPECT_EQ(trace.maxStaleness(), 0);
    EXPECT_TRUE(trace.predictions().empty());
}

}  // namespace
}  // namespace stagecraft
