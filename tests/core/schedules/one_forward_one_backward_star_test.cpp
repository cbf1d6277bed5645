#include "core/schedules/one_forward_one_backward_star.h"

#include "tests/core/support/golden_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace stagecraft {
namespace {

/// Stages without transfers, or with every other one a transfer.
std::vector<PatternTask> pathOf(const std::vector<double>& forwardS, const std::vector<double>& backwardS,
                                bool transfersBetween = false) {
    std::vector<PatternTask> path;
    const auto numbered = [&](std::size_t i, bool up) {
        const bool transfer = transfersBetween && i % 2 == 1;
        const BlockKind kind = transfer ? (up ? BlockKind::transferForward : BlockKind::transferBackward)
                                        : (up ? BlockKind::forward : BlockKind::backward);
        return PatternTask{kind, static_cast<int>(transfersBetween ? i / 2 : i),
                           up ? forwardS[i] : backwardS[i]};
    };
    for (std::size_t i = 0; i < forwardS.size(); ++i) path.push_back(numbered(i, true));
    for (std::size_t i = forwardS.size(); i-- > 0;) path.push_back(numbered(i, false));
    return path;
}

void expectGoldenPattern(const nlohmann::json& input, const nlohmann::json& expected) {
    const std::vector<PatternTask> path = pathOf(input.at("UF"), input.at("UB"));
    const auto star = oneForwardOneBackwardStar(path, input.at("T"));
    ASSERT_TRUE(star);
    EXPECT_EQ(nlohmann::json(star->groups), expected.at("groups"));
    const PeriodicSchedule pattern = star->pattern(path);
    for (const nlohmann::json& op : expected.at("ops")) {
        const BlockKind kind = op.at("kind") == "F" ? BlockKind::forward : BlockKind::backward;
        const auto found = std::find_if(
            pattern.operations.begin(), pattern.operations.end(), [&](const PatternOperation& operation) {
                return operation.kind == kind && operation.stage + 1 == op.at("stage").get<int>();
            });
        ASSERT_NE(found, pattern.operations.end());
        EXPECT_DOUBLE_EQ(found->startS, op.at("t").get<double>()) << op;
        EXPECT_EQ(found->shift, op.at("h").get<int>()) << op;
    }
}

TEST(OneForwardOneBackwardStar, GivesTheGoldenGroupsStartsAndShifts) {
    for (const char* id : {"mp-01-1f1b-hand", "mp-02-1f1b-comm"}) {
        SCOPED_TRACE(id);
        const auto golden = testing::goldenCase(id);
        expectGoldenPattern(golden.input, golden.expected);
    }
}

TEST(OneForwardOneBackwardStar, ATaskLongerThanThePeriodHasNoPattern) {
    EXPECT_FALSE(oneForwardOneBackwardStar(pathOf({1, 2}, {1, 3}), 4.9));
    EXPECT_TRUE(oneForwardOneBackwardStar(pathOf({1, 2}, {1, 3}), 5));
}

/// Batches that stage s stores at most when it starts its forward at x and its backward ends at y.
int storedAt(double startS, double endS, double periodS) {
    return static_cast<int>(std::ceil((endS - startS) / periodS - 1e-12));
}

/// Calls visit(starts) for every pattern of whole seconds in which nothing waits for a period or more, stages
/// having processors of their own. Durations and period being whole, no other start times need be tried.
template <typename Visit>
void forEachPattern(const std::vector<PatternTask>& path, int periodS, std::vector<double>& startsS,
                    Visit& visit) {
    const std::size_t task = startsS.size();
    if (task == path.size()) {
        visit(startsS);
        return;
    }
    const double earliestS = task == 0 ? 0 : startsS.back() + path[task - 1].seconds;
    for (int wait = 0; wait < (task == 0 ? 1 : periodS); ++wait) {
        const double startS = earliestS + wait;
        const std::size_t other = path.size() - 1 - task;
        if (other < task) {
            const double within = std::fmod(startS - startsS[other], periodS);
            if (within < path[other].seconds || within > periodS - path[task].seconds) continue;
        }
        startsS.push_back(startS);
        forEachPattern(path, periodS, startsS, visit);
        startsS.pop_back();
    }
}

TEST(OneForwardOneBackwardStar, NoPatternKeepsFewerBatchesOnAnyStage) {
    // Proposition 1 of MadPipe.
    EXPECT_TRUE(rc::check([] {
        const int stages = *rc::gen::inRange(1, 4);
        std::vector<double> forwardS, backwardS;
        for (int stage = 0; stage < stages; ++stage) {
            forwardS.push_back(*rc::gen::inRange(1, 4));
            backwardS.push_back(*rc::gen::inRange(1, 4));
        }
        const std::vector<PatternTask> path = pathOf(forwardS, backwardS);
        const int periodS = *rc::gen::inRange(2, stages == 3 ? 8 : 12);
        const auto star = oneForwardOneBackwardStar(path, periodS);
        RC_PRE(star.has_value());
        std::vector<int> fewest(static_cast<std::size_t>(stages), 1000);
        const auto visit = [&](const std::vector<double>& startsS) {
            for (std::size_t stage = 0; stage < fewest.size(); ++stage) {
                const std::size_t back = path.size() - 1 - stage;
                fewest[stage] = std::min(
                    fewest[stage], storedAt(startsS[stage], startsS[back] + path[back].seconds, periodS));
            }
        };
        std::vector<double> startsS;
        forEachPattern(path, periodS, startsS, visit);
        RC_ASSERT(fewest == star->groups);
        // And it is one of them.
        for (std::size_t stage = 0; stage < fewest.size(); ++stage) {
            const std::size_t back = path.size() - 1 - stage;
            const double within = std::fmod(star->startsS[back] - star->startsS[stage], periodS);
            RC_ASSERT(within >= path[stage].seconds && within <= periodS - path[back].seconds);
            RC_ASSERT(storedAt(star->startsS[stage], star->startsS[back] + path[back].seconds, periodS) ==
                      fewest[stage]);
        }
        for (std::size_t task = 0; task + 1 < path.size(); ++task)
            RC_ASSERT(star->startsS[task + 1] >= star->startsS[task] + path[task].seconds);
    }));
}

TEST(OneForwardOneBackwardStar, LeastPeriodWithinALimitIsThatOfAllPeriods) {
    EXPECT_TRUE(rc::check([] {
        const int stages = *rc::gen::inRange(1, 5);
        std::vector<double> forwardS, backwardS;
        for (int task = 0; task < 2 * stages - 1; ++task) {
            forwardS.push_back(*rc::gen::inRange(0, 6) + 1);
            backwardS.push_back(*rc::gen::inRange(0, 6));
        }
        const std::vector<PatternTask> path = pathOf(forwardS, backwardS, true);
        std::vector<int> most;
        for (int stage = 0; stage < stages; ++stage) most.push_back(*rc::gen::inRange(0, 5));
        const auto least = leastStarPeriodS(path, most);
        // Loads are whole, so that groups change at whole periods alone.
        std::optional<double> expected;
        for (int periodS = 1; periodS <= 200 && !expected; ++periodS) {
            const auto groups = starGroups(path, periodS);
            bool fits = groups.has_value();
            for (std::size_t stage = 0; fits && stage < most.size(); ++stage)
                fits = (*groups)[2 * stage] <= most[stage];
            if (fits) expected = periodS;
        }
        RC_ASSERT(least == expected);
    }));
}

/// Three stages of one layer each on a mesh.
CostModel threeStages() {
    Problem problem;
    for (const double seconds : {2.0, 1.0, 3.0})
        problem.profile.layers.push_back({"layer", seconds, 2 * seconds, 8, 4, 6, 5, 1});
    problem.profile.layers.back().outputBytes = 0;
    problem.cluster = testing::meshCluster({{0, 4, 2}, {4, 0, 1}, {2, 1, 0}});
    return CostModel(problem);
}

TEST(PeriodicPattern, ABatchGoesThroughStagesAndTransfersUpAndDown) {
    const CostModel costs = threeStages();
    const std::vector<PatternTask> path = batchPath(costs, {{0, 0, {0}}, {1, 1, {2}}, {2, 2, {2}}});
    const auto is = [&](std::size_t task, BlockKind kind, int stage, double seconds) {
        return path[task].kind == kind && path[task].stage == stage && path[task].seconds == seconds;
    };
    ASSERT_EQ(path.size(), 8u);
    EXPECT_TRUE(is(0, BlockKind::forward, 0, 2));
    EXPECT_TRUE(is(1, BlockKind::transferForward, 0, 2));
    EXPECT_TRUE(is(2, BlockKind::forward, 1, 1));
    EXPECT_TRUE(is(3, BlockKind::forward, 2, 3));
    EXPECT_TRUE(is(4, BlockKind::backward, 2, 6));
    EXPECT_TRUE(is(6, BlockKind::transferBackward, 0, 3));
    EXPECT_TRUE(is(7, BlockKind::backward, 0, 4));
}

TEST(PeriodicPattern, StagesThatFeedOthersThanTheNextAreRefused) {
    Problem problem = threeStages().problem();
    problem.profile.edges = {{0, 1}, {1, 2}, {0, 2}};
    const CostModel costs(problem);
    EXPECT_THROW(batchPath(costs, {{0, 0, {0}}, {1, 1, {1}}, {2, 2, {2}}}), std::invalid_argument);
    EXPECT_NO_THROW(batchPath(costs, {{0, 1, {0}}, {2, 2, {2}}}));
}

TEST(PeriodicPattern, ActiveBatchesOfAStarAreItsGroups) {
    const CostModel costs = threeStages();
    const std::vector<Stage> stages = {{0, 0, {0}}, {1, 1, {1}}, {2, 2, {2}}};
    const std::vector<PatternTask> path = batchPath(costs, stages);
    for (const double periodS : {10.0, 12.0, 15.0, 22.0, 40.0}) {
        const auto star = oneForwardOneBackwardStar(path, periodS);
        ASSERT_TRUE(star) << periodS;
        EXPECT_EQ(activeBatches(costs, stages, star->pattern(path)),
                  (std::vector<int>{star->groups[0], star->groups[2], star->groups[4]}))
            << periodS;
    }
}

TEST(OneForwardOneBackwardStar, WithoutATaskThereIsNoLeastPeriod) {
    EXPECT_FALSE(leastStarPeriodS({}, {}));
    EXPECT_FALSE(leastStarPeriodS({}, {1}));
}

}  // namespace
}  // namespace stagecraft
