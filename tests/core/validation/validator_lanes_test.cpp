// A link is drawn on one lane, and a lane draws one link.
#include "core/model/lane_stages.h"
#include "core/schedules/periodic_pattern.h"
#include "tests/support/every_room.h"
#include "tests/core/validation/validator_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft {
namespace {

using test::Case;
using test::rulesOf;
using test::textOf;

/// Rebuilds the columns with the block on that lane, in order of start.
void moveToLane(Timeline& timeline, std::uint32_t target, std::size_t lane) {
    const Timeline before = timeline;
    std::vector<std::vector<std::uint32_t>> blocks(timeline.lanes.size());
    for (std::size_t each = 0; each < blocks.size(); ++each)
        for (std::uint32_t b = before.lanes[each].firstBlock; b < before.lanes[each].endBlock; ++b)
            blocks[b == target ? lane : each].push_back(b);
    std::uint32_t next = 0;
    for (std::size_t each = 0; each < blocks.size(); ++each) {
        std::stable_sort(blocks[each].begin(), blocks[each].end(),
                         [&](auto a, auto b) { return before.startS[a] < before.startS[b]; });
        timeline.lanes[each].firstBlock = next;
        for (const std::uint32_t old : blocks[each]) {
            timeline.startS[next] = before.startS[old];
            timeline.endS[next] = before.endS[old];
            timeline.kind[next] = before.kind[old];
            timeline.stage[next] = before.stage[old];
            timeline.microbatch[next] = before.microbatch[old];
            timeline.iteration[next] = before.iteration[old];
            timeline.waitedFor[next++] = noBlock;
        }
        timeline.lanes[each].endBlock = next;
    }
}

std::size_t laneOf(const Case& c, LaneKind kind, Direction direction = Direction::both) {
    for (std::size_t lane = 0; lane < c.timeline.lanes.size(); ++lane)
        if (c.timeline.lanes[lane].kind == kind && c.timeline.lanes[lane].direction == direction) return lane;
    ADD_FAILURE() << "no such lane";
    return 0;
}

Case twoStages(ChannelMode mode) {
    Problem problem = test::smallProblem(2, 2, 3);
    problem.setup.channel = mode;
    return test::simulated(problem, test::smallPlan(problem, {{0}, {1}}));
}

std::set<Rule> afterMoving(Case c, BlockKind kind, int stage, int microbatch, std::size_t lane) {
    EXPECT_EQ(textOf(c.check()), "");
    moveToLane(c.timeline, c.find(kind, stage, microbatch), lane);
    return rulesOf(c.check());
}

TEST(ValidatorLanes, TwoAllReducesOnTheSameDevicesTakeTurnsOnOneLane) {
    const Problem problem = test::smallProblem(2, 2, 1);
    Plan plan = test::smallPlan(problem, {{0, 1}, {0, 1}});
    ExplicitSchedule schedule;
    for (const int device : {0, 1})
        schedule.orders[device] = {{TaskKind::forward, 0, 0},
                                   {TaskKind::forward, 1, 0},
                                   {TaskKind::backward, 1, 0},
                                   {TaskKind::backward, 0, 0}};
    plan.schedule.order = schedule;
    const Case c = test::simulated(problem, plan);
    EXPECT_EQ(textOf(c.check()), "");
    const std::uint32_t first = c.find(BlockKind::allReduce, 1, -1),
                        next = c.find(BlockKind::allReduce, 0, -1);
    ASSERT_TRUE(first != noBlock && next != noBlock);
    EXPECT_EQ(c.timeline.laneOf(first), c.timeline.laneOf(next));
    EXPECT_GE(c.timeline.startS[next], c.timeline.endS[first]);
    EXPECT_EQ(stagesServed(plan, c.timeline.lanes[static_cast<std::size_t>(c.timeline.laneOf(first))]),
              (std::vector<int>{0, 1}));
    // Both at once, on one lane and on two.
    Case broken = c;
    const double lengthS = c.timeline.endS[next] - c.timeline.startS[next];
    const double readyS = c.timeline.endS[c.find(BlockKind::backward, 0, 0)];
    ASSERT_LT(readyS, c.timeline.endS[first]);
    broken.timeline.startS[next] = readyS;
    broken.timeline.endS[next] = readyS + lengthS;
    EXPECT_TRUE(rulesOf(broken.check()).count(Rule::channelExclusive));
    Lane own = c.timeline.lanes[static_cast<std::size_t>(c.timeline.laneOf(first))];
    own.firstBlock = own.endBlock = static_cast<std::uint32_t>(c.timeline.startS.size());
    broken = c;
    broken.timeline.lanes.push_back(own);
    moveToLane(broken.timeline, next, broken.timeline.lanes.size() - 1);
    EXPECT_TRUE(rulesOf(broken.check()).count(Rule::channelExclusive));
}

TEST(ValidatorLanes, AnAllReduceOnAnyOtherLaneIsRefused) {
    const Case c = test::replicated(1);
    const std::uint32_t block = c.find(BlockKind::allReduce, 1, -1);
    ASSERT_NE(block, noBlock);
    const auto own = static_cast<std::size_t>(c.timeline.laneOf(block));
    for (std::size_t lane = 0; lane < c.timeline.lanes.size(); ++lane)
        if (lane != own) {
            // Where the device computes meanwhile, that is wrong besides.
            EXPECT_TRUE(afterMoving(c, BlockKind::allReduce, 1, -1, lane).count(Rule::channelExclusive))
                << lane;
        }
    Case others = c;
    others.timeline.lanes[own].devices.pop_back();
    EXPECT_EQ(rulesOf(others.check()), std::set{Rule::channelExclusive});
    others = c;
    others.timeline.lanes[own].fromStage = 0;
    EXPECT_EQ(rulesOf(others.check()), std::set{Rule::channelExclusive});
}

TEST(ValidatorLanes, AllReducesOfOneGroupOnTwoLanesAreRefused) {
    Case c = test::replicated(2);
    const std::uint32_t second = c.find(BlockKind::allReduce, 1, -1, 1);
    ASSERT_NE(second, noBlock);
    Lane twin = c.timeline.lanes[static_cast<std::size_t>(c.timeline.laneOf(second))];
    twin.firstBlock = twin.endBlock = c.timeline.blockCount();
    c.timeline.lanes.push_back(twin);
    moveToLane(c.timeline, second, c.timeline.lanes.size() - 1);
    EXPECT_EQ(rulesOf(c.check()), std::set{Rule::channelExclusive});
}

TEST(ValidatorLanes, ATransferOnTheLaneOfTheOtherDirectionIsRefused) {
    const Case c = twoStages(ChannelMode::fullDuplex);
    EXPECT_EQ(
        afterMoving(c, BlockKind::transferForward, 0, 1, laneOf(c, LaneKind::channel, Direction::backward)),
        std::set{Rule::channelExclusive});
    EXPECT_EQ(
        afterMoving(c, BlockKind::transferBackward, 1, 1, laneOf(c, LaneKind::channel, Direction::forward)),
        std::set{Rule::channelExclusive});
    Case unnamed = c;
    for (Lane& lane : unnamed.timeline.lanes) lane.direction = Direction::both;
    EXPECT_EQ(textOf(unnamed.check()), "");  // a lane may serve both where stages share devices
    moveToLane(unnamed.timeline, unnamed.find(BlockKind::transferForward, 0, 1),
               laneOf(c, LaneKind::channel, Direction::backward));
    EXPECT_EQ(rulesOf(unnamed.check()), std::set{Rule::channelExclusive});
}

TEST(ValidatorLanes, TheTwoDirectionsOfAHalfDuplexLinkOnTwoLanesAreRefused) {
    Case c = twoStages(ChannelMode::fullDuplex);
    c.problem.setup.channel = ChannelMode::halfDuplex;
    EXPECT_TRUE(rulesOf(c.check()).count(Rule::channelExclusive)) << textOf(c.check());
    EXPECT_EQ(textOf(twoStages(ChannelMode::halfDuplex).check()), "");
}

TEST(ValidatorLanes, ALaneThatNamesOtherStagesOrTurnsItsDevicesIsRefused) {
    const Case c = twoStages(ChannelMode::fullDuplex);
    const std::size_t lane = laneOf(c, LaneKind::channel, Direction::forward);
    Case wrong = c;
    std::swap(wrong.timeline.lanes[lane].devices[0], wrong.timeline.lanes[lane].devices[1]);
    EXPECT_EQ(rulesOf(wrong.check()), std::set{Rule::channelExclusive});
    wrong = c;
    wrong.timeline.lanes[lane].toStage = 0;
    EXPECT_EQ(rulesOf(wrong.check()), std::set{Rule::channelExclusive});
}

/// Two stages of 1 s each way, transfers of 1 s: the transfers of two batches meet if the period is 3 s.
Case pattern(double periodS, ChannelMode mode) {
    Case c;
    c.problem = test::smallProblem(2, 2, 2);
    for (Layer& layer : c.problem.profile.layers) layer.backwardS = 1;
    c.problem.setup.mode = TrainingMode::asynchronous;
    c.problem.setup.channel = mode;
    c.plan = test::smallPlan(c.problem, {{0}, {1}});
    c.plan.weights = {WeightPolicyKind::latest, {2, 2}};
    const std::vector<PatternTask> path = batchPath(CostModel(c.problem), c.plan.stages);
    std::vector<double> startsS;
    for (std::size_t task = 0; task < path.size(); ++task) startsS.push_back(double(task));
    c.plan.schedule.order = patternOf(path, startsS, periodS);
    c.timeline = simulate(CostModel(c.problem), c.plan);
    return c;
}

TEST(ValidatorLanes, APatternsLinksAreHalfDuplexWhateverTheSetupSays) {
    for (const ChannelMode mode :
         {ChannelMode::fullDuplex, ChannelMode::halfDuplex, ChannelMode::halfDuplexFifo}) {
        EXPECT_EQ(rulesOf(pattern(3, mode).check()), std::set{Rule::channelExclusive});
        EXPECT_EQ(textOf(pattern(4, mode).check()), "");
        const Case c = pattern(4, mode);
        EXPECT_EQ(std::count_if(c.timeline.lanes.begin(), c.timeline.lanes.end(),
                                [](const Lane& lane) { return lane.kind == LaneKind::channel; }),
                  1);
    }
}

TEST(ValidatorNumbers, NoNumberOfATimelineKeepsTheValidatorFromAnAnswer) {
    Problem problem = test::smallProblem(4, 4, 6);
    problem.setup.mode = TrainingMode::asynchronous;
    Plan plan = test::smallPlan(problem, {{0}, {1}, {2, 3}});
    plan.weights.kind = WeightPolicyKind::stashing;
    plan.claims.fitsMemory = true;
    plan.memory.layers = {{0, LayerMemory::swap}, {2, LayerMemory::recompute}};
    SimulationOptions options;
    options.iterations = 3;
    const Timeline whole = simulate(CostModel(problem), plan, options);
    const double wrong[] = {std::nan(""), std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::max(),
                            -std::numeric_limits<double>::max()};
    for (const double number : wrong)
        for (std::uint32_t block = 0; block < whole.blockCount(); ++block)
            for (std::vector<double> Timeline::*column : {&Timeline::startS, &Timeline::endS}) {
                Timeline timeline = whole;
                (timeline.*column)[block] = number;
                EXPECT_FALSE(validate(problem, plan, timeline).empty());
            }
    for (const double number : wrong) {
        Plan odd = plan;
        odd.schedule.order = FamilySchedule{"1f1b", {{"extra_in_flight", number}}};
        const std::set<Rule> rules = rulesOf(validate(problem, odd, whole));
        EXPECT_EQ(rules, number > 0 ? std::set{Rule::orderRespected} : std::set<Rule>{}) << number;
    }
    Timeline none = whole;
    std::fill(none.startS.begin(), none.startS.end(), std::nan(""));
    EXPECT_EQ(rulesOf(validate(problem, plan, none)), std::set{Rule::blockDuration});
}

}  // namespace
}  // namespace stagecraft
