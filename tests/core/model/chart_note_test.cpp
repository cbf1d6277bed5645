#include "core/model/chart_note.h"
#include "tests/support/every_room.h"
#include "core/model/cluster.h"
#include "core/model/lane_stages.h"

#include <gtest/gtest.h>

using namespace stagecraft;

namespace {

/// Two GPUs with a lane each; a forward and a backward of stage 0 on the first, of stage 1 on the second.
Timeline twoLanes() {
    Timeline timeline;
    timeline.lanes = {Lane{LaneKind::compute, {0}, -1, -1, Direction::both, 0, 2},
                      Lane{LaneKind::compute, {1}, -1, -1, Direction::both, 2, 4}};
    timeline.resize(4);
    timeline.startS = {0, 3, 1, 2};
    timeline.endS = {1, 4, 2, 3};
    timeline.kind = {BlockKind::forward, BlockKind::backward, BlockKind::forward, BlockKind::backward};
    timeline.stage = {0, 0, 1, 1};
    timeline.microbatch = {0, 0, 0, 0};
    timeline.iteration = {0, 0, 0, 0};
    return timeline;
}

Cluster twoGpus() {
    Cluster cluster;
    for (const char* id : {"a", "b"}) cluster.devices.emplace_back().id = id;
    return cluster;
}

}  // namespace

TEST(ChartNote, StaysWithItsBlockWhereverThatRuns) {
    Timeline timeline = twoLanes();
    ChartNote note{1, 2, "b", "why?"};
    note.block = nameOfBlock(timeline, 2);
    EXPECT_EQ(blockNameText(*note.block), "forward of microbatch 0 on stage 1");
    const ChartNote atATime{0.5, {}, "", "half"};
    PlacedNotes placed = placeNotes({note, atATime}, timeline, twoGpus());
    ASSERT_EQ(placed.notes.size(), 2u);
    EXPECT_EQ(placed.from, (std::vector<int>{1, 0}));  // by time
    EXPECT_EQ(placed.notes[0], atATime);
    EXPECT_EQ(placed.notes[1], note);
    // Stage 1 is on the other GPU now, and later.
    timeline.stage = {1, 1, 0, 0};
    timeline.startS = {7, 9, 1, 2};
    timeline.endS = {8, 10, 2, 3};
    placed = placeNotes({note, atATime}, timeline, twoGpus());
    EXPECT_EQ(placed.notes[1].atS, 7);
    EXPECT_EQ(placed.notes[1].untilS, 8);
    EXPECT_EQ(placed.notes[1].device, "a");
    EXPECT_EQ(placed.notes[1].text, "why?");
    EXPECT_EQ(placed.gone, (std::vector<bool>{false, false}));
}

TEST(ChartNote, ABlockThatIsGoneIsSaid) {
    const Timeline timeline = twoLanes();
    ChartNote note{1, 2, "b", "why?"};
    note.block = BlockName{BlockKind::forward, 1, 5, 0};
    const PlacedNotes placed = placeNotes({note}, timeline, twoGpus());
    EXPECT_EQ(placed.gone, std::vector<bool>{true});
    EXPECT_EQ(placed.notes[0], note);
}

TEST(LaneStages, AChannelIsNamedForEachPairThatItServes) {
    Plan plan;
    for (int stage = 0; stage < 4; ++stage) {
        plan.stages.emplace_back();
        plan.stages.back().firstLayer = plan.stages.back().lastLayer = stage;
    }
    plan.stages[0].devices = plan.stages[2].devices = {0};
    plan.stages[1].devices = {1};
    plan.stages[3].devices = {2};
    Lane lane{LaneKind::channel, {0, 1}, 0, 1, Direction::both, 0, 0};
    // Full duplex: what the first GPU sends to the second.
    const auto there = stagePairs(plan, lane, {{0, false}, {2, true}});
    EXPECT_EQ(stagePairsText(there), "0 → 1, 2 → 1");
    EXPECT_EQ(betweenStages(there), "from stage 0 to stage 1 and from stage 2 to stage 1");
    const auto back = stagePairs(plan, lane, {{1, true}, {1, false}});
    EXPECT_EQ(stagePairsText(back), "1 → 0, 1 → 2");
    // One channel for both ways.
    const auto all = stagePairs(plan, lane, {{0, false}, {1, true}, {1, false}, {2, true}});
    EXPECT_EQ(stagePairsText(all), "0 ⇄ 1, 1 ⇄ 2");
    EXPECT_EQ(betweenStages(all), "between stages 0 and 1 and between stages 1 and 2");
    // Without several stages on a GPU it is the lane's own pair.
    EXPECT_EQ(betweenStages(stagePairs(plan, lane, {})), "between stages 0 and 1");
    lane.direction = Direction::forward;
    EXPECT_EQ(betweenStages(stagePairs(plan, lane, {})), "between stages 0 and 1, forward");
}

TEST(LaneStages, AnAllReduceIsNamedForAllStagesThatItServes) {
    Plan plan;
    plan.stages.resize(4);
    for (int stage = 0; stage < 4; ++stage) {
        Stage& it = plan.stages[static_cast<std::size_t>(stage)];
        it.firstLayer = it.lastLayer = stage % 2;
        it.pipeline = stage / 2;
        it.devices = {stage};
    }
    const Lane lane{LaneKind::allReduce, {0, 2}, 0, -1, Direction::both, 0, 0};
    EXPECT_EQ(stagesServed(plan, lane), (std::vector<int>{0, 2}));
    EXPECT_EQ(namedStages({0, 2}), "stages 0 and 2");
    EXPECT_EQ(namedStages({3}), "stage 3");
}
