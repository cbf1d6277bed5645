#include "core/analysis/evaluation.h"
#include "tests/core/support/graph_of.h"
#include "tests/support/every_room.h"
#include "core/analysis/what_bounds.h"
#include "tests/core/support/random_problem.h"

#include <gtest/gtest.h>

using namespace stagecraft;

namespace {

struct Chain {
    std::vector<double> forwardS = {1, 1, 1, 1};
    double bytes = 0.001;
    int microbatches = 64;
    TrainingMode mode = TrainingMode::synchronous;
};

std::pair<Problem, Plan> made(const Chain& wanted) {
    Problem problem;
    Plan plan;
    for (std::size_t i = 0; i < wanted.forwardS.size(); ++i) {
        const double forward = wanted.forwardS[i];
        problem.profile.layers.push_back(
            {"l", forward, 2 * forward, 8, wanted.bytes, wanted.bytes, 16, forward});
        const std::string id = "g" + std::to_string(i);
        problem.cluster.devices.push_back({id, "s", "", 1e9, 1, 32});
        if (i > 0) problem.cluster.links.push_back({"g" + std::to_string(i - 1), id, 1, 0, ""});
        plan.stages.push_back({static_cast<int>(i), static_cast<int>(i), {static_cast<int>(i)}});
    }
    problem.setup.microbatches = wanted.microbatches;
    problem.setup.mode = wanted.mode;
    plan.schedule.order = FamilySchedule{"1f1b", {}};
    return {problem, plan};
}

WhatBounds judged(const Chain& wanted, int iterations = 1) {
    const auto [problem, plan] = made(wanted);
    const CostModel costs(problem);
    const Evaluation evaluation = evaluate(costs, plan, {iterations, {}});
    return whatBounds(costs, plan, evaluation.timeline, evaluation.metrics);
}

}  // namespace

TEST(LowerBound, NamesOfLanesThatBoundAlikeTheOneWithMostWork) {
    // A lone microbatch passes through every lane, and the channels carry next to nothing of it.
    for (const double bytes : {0.0, 1e-12})
        for (const double forwardS : {1.0, 0.1, 1e-3, 0.7, 1.0 / 3}) {
            const auto [problem, plan] =
                made({.forwardS = std::vector<double>(4, forwardS), .bytes = bytes, .microbatches = 1});
            const CostModel costs(problem);
            const LowerBound bound = planLowerBound(costs, plan, buildExecutionGraph(costs, plan, 1));
            EXPECT_NEAR(bound.seconds, 12 * forwardS, 1e-9);
            EXPECT_TRUE(bound.because.starts_with("stage 3: ")) << bound.because;
        }
    const auto [problem, plan] = made({{1, 1}, 5, 64});
    const CostModel costs(problem);
    EXPECT_TRUE(planLowerBound(costs, plan, buildExecutionGraph(costs, plan, 1))
                    .because.starts_with("the channel between"));
}

TEST(WhatBounds, NamesTheStageThatHasMostToDo) {
    const WhatBounds bounds = judged({{1, 1, 3, 1}});
    EXPECT_EQ(bounds.kind, WhatBounds::Kind::work);
    EXPECT_EQ(bounds.lane, 2);
    EXPECT_TRUE(bounds.headline.starts_with("Stage 2 (g2) bounds the time: it is busy for 576 s"))
        << bounds.headline;
    EXPECT_TRUE(bounds.advice.at(0).starts_with("Move layers from it")) << bounds.advice.at(0);
}

TEST(WhatBounds, SaysThatEvenWorkIsEven) {
    const WhatBounds bounds = judged({});
    EXPECT_EQ(bounds.kind, WhatBounds::Kind::work);
    EXPECT_TRUE(bounds.advice.at(0).starts_with("Work is spread evenly")) << bounds.advice.at(0);
}

TEST(WhatBounds, NamesTheLinkThatCarriesMost) {
    const WhatBounds bounds = judged({{1, 1}, 5, 64});
    EXPECT_EQ(bounds.kind, WhatBounds::Kind::work);
    EXPECT_TRUE(bounds.headline.starts_with("The link between stages 0 and 1")) << bounds.headline;
    EXPECT_TRUE(bounds.advice.at(0).starts_with("Cut the network where less crosses"));
}

TEST(WhatBounds, NamesTheNumberOfStagesWhereFewMicrobatchesGoThroughMany) {
    const WhatBounds bounds = judged({std::vector<double>(8, 1), 0.001, 2});
    EXPECT_EQ(bounds.kind, WhatBounds::Kind::fillAndDrain);
    EXPECT_TRUE(bounds.headline.starts_with("The number of stages bounds the time")) << bounds.headline;
    EXPECT_NE(bounds.advice.at(0).find("(now 8)"), std::string::npos) << bounds.advice.at(0);
}

TEST(WhatBounds, NamesTheLinkThatTheBusiestStageWaitsForBetweenItsBlocks) {
    const WhatBounds bounds = judged({{1, 1, 1}, 2.5, 12});
    EXPECT_EQ(bounds.kind, WhatBounds::Kind::gaps) << bounds.headline;
    ASSERT_FALSE(bounds.awaited.empty());
    EXPECT_GE(bounds.awaited.front().lane, 3);
}

TEST(WhatBounds, PartsAddUpToTheIteration) {
    for (int seed = 0; seed < 200; ++seed) {
        std::mt19937 random(static_cast<unsigned>(seed));
        const CostModel costs(random_problem::problem(random, 3 + seed % 5, 2 + seed % 4));
        const Plan plan = random_problem::plan(random, costs.problem());
        const Evaluation evaluation = evaluate(costs, plan, {1 + seed % 2, {}});
        const WhatBounds bounds = whatBounds(costs, plan, evaluation.timeline, evaluation.metrics);
        const double sum = bounds.workS + bounds.fillS + bounds.drainS + bounds.gapsS;
        EXPECT_NEAR(sum, bounds.iterationS, 1e-9 * sum) << "seed " << seed;
        EXPECT_NEAR(bounds.iterationS, evaluation.metrics.iterationTimeS, 1e-9 * sum) << "seed " << seed;
        EXPECT_FALSE(bounds.headline.empty());
        EXPECT_FALSE(bounds.advice.empty());
    }
}

TEST(WhatBounds, PartsAreThoseOfTheMicrobatchesAskedFor) {
    for (int seed = 0; seed < 40; ++seed) {
        std::mt19937 random(static_cast<unsigned>(seed));
        Problem problem = random_problem::problem(random, 3 + seed % 5, 2 + seed % 4);
        if (seed % 2) problem.setup.mode = TrainingMode::asynchronous;
        const CostModel costs(problem);
        const Plan plan = random_problem::plan(random, problem);
        const Evaluation evaluation = evaluate(costs, plan);
        const WhatBounds own = whatBounds(costs, plan, evaluation.timeline, evaluation.metrics);
        const int microbatches = 3 * problem.setup.microbatches;
        const WhatBounds asked =
            whatBounds(costs, plan, evaluation.timeline, evaluation.metrics, microbatches);
        EXPECT_NEAR(asked.iterationS, 3 * own.iterationS, 1e-9 * asked.iterationS) << seed;
        EXPECT_NEAR(asked.workS + asked.fillS + asked.drainS + asked.gapsS, asked.iterationS,
                    1e-9 * asked.iterationS)
            << seed;
        EXPECT_EQ(asked.lane, own.lane) << seed;
        EXPECT_EQ(asked.kind, own.kind) << seed;
        EXPECT_EQ(asked.critical.size(), own.critical.size());
        if (seed % 2) {
            EXPECT_TRUE(asked.reasons.at(0).starts_with(std::to_string(microbatches) + " microbatches take "))
                << asked.reasons.at(0);
        }
    }
}

TEST(WhatBounds, WithoutABarrierFillingAndDrainingDoNotCount) {
    const WhatBounds bounds = judged({{1, 1, 3, 1}, 0.001, 1, TrainingMode::asynchronous}, 40);
    EXPECT_EQ(bounds.kind, WhatBounds::Kind::work);
    EXPECT_EQ(bounds.lane, 2);
    EXPECT_EQ(bounds.fillS + bounds.drainS, 0);
    EXPECT_NEAR(bounds.workS, 9, 1e-9);
}
