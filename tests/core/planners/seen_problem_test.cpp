#include "core/planners/plan_run.h"
#include "core/planners/seen_problem.h"
#include "tests/core/planners/random_problems.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace stagecraft {
namespace {

/// All that a planner answers, but how long it took.
void expectSameAnswer(const PlanningResult& a, const PlanningResult& b) {
    RC_ASSERT(a.status == b.status);
    RC_ASSERT(a.reason == b.reason);
    RC_ASSERT(a.plan == b.plan);
    RC_ASSERT(a.predictedS == b.predictedS);
    RC_ASSERT(a.guarantees == b.guarantees);
    RC_ASSERT(a.attempts == b.attempts);
    RC_ASSERT(a.rounds == b.rounds);
    RC_ASSERT(a.notes == b.notes);
    RC_ASSERT(a.deviceOrder == b.deviceOrder);
}

TEST(SeenProblem, APlannerThatDoesNotSeeMemoryAnswersTheSameUnderAnyLimit) {
    int blind = 0;
    EXPECT_TRUE(rc::check([&] {
        Problem problem = testing::randomProblem({});
        if (*rc::gen::inRange(0, 2) == 1) problem.setup.mode = TrainingMode::asynchronous;
        const CostModel free(problem);
        problem.setup.memoryLimitBytes = *rc::gen::inRange(1, 200);
        const CostModel limited(problem);
        for (const auto& planner : planners()) {
            if (seesMemory(planner->description().id)) continue;
            const ParameterValues values = defaultValues(planner->description().parameters);
            expectSameAnswer(runPlanner(*planner, free, values), runPlanner(*planner, limited, values));
            ++blind;
        }
    }));
    EXPECT_GT(blind, 300);
}

PlanAge ageUnderAnotherLimit(const std::string& planner, TrainingMode mode) {
    Problem problem;
    for (int layer = 0; layer < 4; ++layer)
        problem.profile.layers.push_back({"l" + std::to_string(layer), 1, 2, 1, 1, 1, 10, 1});
    for (const char* id : {"g0", "g1"}) problem.cluster.devices.push_back({id, "s0", "", 1e6, 1, 5});
    problem.cluster.links.push_back({"g0", "g1", 100, 0, ""});
    problem.setup.microbatches = 4;
    problem.setup.mode = mode;
    problem.setup.memoryLimitBytes = 5e5;
    const PlanRun run = runAndEvaluate(*findPlanner(planner), std::make_shared<const CostModel>(problem), {});
    EXPECT_TRUE(run.ok()) << planner << ": " << run.result.reason;
    problem.setup.memoryLimitBytes = 4e5;
    return reopenPlan(std::make_shared<const CostModel>(problem), run.result.plan, originOf(run)).age;
}

TEST(SeenProblem, AMemoryLimitMakesOutOfDateWhatWasPlannedForMemoryAlone) {
    for (const char* planner : {"spp", "gpipe", "data-parallel"})
        EXPECT_EQ(ageUnderAnotherLimit(planner, TrainingMode::synchronous), PlanAge::current) << planner;
    EXPECT_EQ(ageUnderAnotherLimit("xpipe", TrainingMode::asynchronous), PlanAge::current);
    for (const char* planner : {"vpipe", "madpipe", "pipedream"})
        EXPECT_EQ(ageUnderAnotherLimit(planner, TrainingMode::asynchronous), PlanAge::outOfDate) << planner;
}

TEST(SeenProblem, AHashOfTheWholeProblemIsKnownAgain) {
    Problem problem = {};
    problem.setup.memoryLimitBytes = 100;
    const ProblemHash whole = hashOf(problem);
    EXPECT_EQ(planAge(whole, seenBy("spp", whole, problem.setup, whole)), PlanAge::current);
    EXPECT_NE(seenBy("spp", whole, problem.setup), whole);
    EXPECT_EQ(seenBy("madpipe", whole, problem.setup), whole);
    problem.setup.microbatches += 1;
    EXPECT_EQ(planAge(whole, seenBy("spp", hashOf(problem), problem.setup, whole)), PlanAge::outOfDate);
}

}  // namespace
}  // namespace stagecraft
