#include "core/planners/planned_run.h"
#include "tests/support/every_room.h"
#include "core/runs/seen_problem.h"
#include "tests/core/planners/random_problems.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>

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
    RC_ASSERT(a.tried == b.tried);
    RC_ASSERT(a.rounds == b.rounds);
    RC_ASSERT(a.notes == b.notes);
    RC_ASSERT(a.deviceOrder == b.deviceOrder);
}

/// The same with a drawn memory for each device.
Problem withDrawnMemory(Problem problem) {
    for (Device& device : problem.cluster.devices) device.memoryBytes = *rc::gen::inRange(1, 200);
    return problem;
}

TEST(SeenProblem, APlannerThatDoesNotSeeMemoryAnswersTheSameUnderAnyLimitAndWithAnyMemory) {
    int blind = 0;
    EXPECT_TRUE(rc::check([&] {
        Problem problem = testing::randomProblem({});
        if (*rc::gen::inRange(0, 2) == 1) problem.setup.mode = TrainingMode::asynchronous;
        const CostModel free(problem);
        Problem other = withDrawnMemory(problem);
        if (*rc::gen::inRange(0, 2) == 1) other.setup.memoryLimitBytes = *rc::gen::inRange(1, 200);
        const CostModel limited(other);
        for (const auto& planner : allPlanners()) {
            if (makerOf(planner->description().id).seesMemory) continue;
            const ParameterValues values = defaultValues(planner->description().parameters);
            expectSameAnswer(runPlanner(*planner, free, values), runPlanner(*planner, limited, values));
            ++blind;
        }
    }));
    EXPECT_GT(blind, 300);
}

TEST(SeenProblem, UnderALimitEveryPlannerAnswersTheSameWithAnyMemory) {
    int limited = 0;
    EXPECT_TRUE(rc::check([&] {
        Problem problem = testing::randomProblem({});
        problem.setup.mode = TrainingMode::asynchronous;
        problem.setup.memoryLimitBytes = *rc::gen::inRange(1, 200);
        const CostModel one(problem), other(withDrawnMemory(problem));
        for (const char* id : {"pipedream", "vpipe"}) {
            const Planner& planner = *findPlanner(id);
            const ParameterValues values = defaultValues(planner.description().parameters);
            expectSameAnswer(runPlanner(planner, one, values), runPlanner(planner, other, values));
            ++limited;
        }
    }));
    EXPECT_GT(limited, 100);
}

using Change = std::function<void(Problem&)>;

/// Two devices of 1 MB under a limit of 500 kB, or without one.
Problem twoDevices(bool limit) {
    Problem problem;
    for (int layer = 0; layer < 4; ++layer)
        problem.profile.layers.push_back({"l" + std::to_string(layer), 1, 2, 1, 1, 1, 10, 1});
    for (const char* id : {"g0", "g1"}) problem.cluster.devices.push_back({id, "s0", "", 1e6, 1, 5});
    problem.cluster.links.push_back({"g0", "g1", 100, 0, ""});
    problem.setup.microbatches = 4;
    if (limit) problem.setup.memoryLimitBytes = 5e5;
    return problem;
}

/// Of a plan for two devices.
PlanAge ageAfter(const Change& change, const std::string& planner, TrainingMode mode, bool limit = true) {
    Problem problem = twoDevices(limit);
    problem.setup.mode = mode;
    const PlanRun run = runAndEvaluate(*findPlanner(planner), std::make_shared<const CostModel>(problem), {});
    EXPECT_TRUE(run.ok()) << planner << ": " << run.result.reason;
    change(problem);
    return reopenPlan(std::make_shared<const CostModel>(problem), run.result.plan, originOf(run)).age;
}

/// The same after a person has changed the plan.
PlanAge ageOfEdited(const Change& change, const std::string& planner, bool limit) {
    Problem problem = twoDevices(limit);
    const PlanRun run = runAndEvaluate(*findPlanner(planner), std::make_shared<const CostModel>(problem), {});
    EXPECT_TRUE(run.ok()) << planner << ": " << run.result.reason;
    Plan edited = run.result.plan;
    edited.planner = "hand";
    change(problem);
    return reopenPlan(std::make_shared<const CostModel>(problem), edited, {run.plannedFor, {}}).age;
}

void anotherLimit(Problem& problem) { problem.setup.memoryLimitBytes = 4e5; }
void moreMemory(Problem& problem) { problem.cluster.devices[1].memoryBytes = 2e6; }

void nothing(Problem&) {}
void anotherMicrobatch(Problem& problem) { ++problem.setup.microbatches; }

TEST(SeenProblem, AnEditedPlanIsOutOfDateWhenItsPlannersPlanIs) {
    for (const auto& planner : allPlanners()) {
        const std::string& id = planner->description().id;
        if (!planner->description().plansWithBarrier) continue;
        for (const bool limit : {false, true}) {
            EXPECT_EQ(ageOfEdited(&nothing, id, limit), PlanAge::current) << id;
            EXPECT_EQ(ageOfEdited(&anotherMicrobatch, id, limit), PlanAge::outOfDate) << id;
            EXPECT_EQ(ageOfEdited(&moreMemory, id, limit),
                      ageAfter(&moreMemory, id, TrainingMode::synchronous, limit))
                << id;
            EXPECT_EQ(ageOfEdited(&anotherLimit, id, limit),
                      ageAfter(&anotherLimit, id, TrainingMode::synchronous, limit))
                << id;
        }
    }
}

TEST(SeenProblem, WhetherSamplesAreCausalSequencesMattersToTheSearchOverSchedulesAlone) {
    const auto causal = [](Problem& problem) { problem.profile.causalSequence = true; };
    const auto none = [](Problem& problem) { problem.profile.causalSequence = false; };
    for (const auto& planner : allPlanners()) {
        const std::string& id = planner->description().id;
        if (!planner->description().plansWithBarrier) continue;
        const PlanAge expected = id == "schedule" ? PlanAge::outOfDate : PlanAge::current;
        EXPECT_EQ(ageAfter(causal, id, TrainingMode::synchronous), expected) << id;
        EXPECT_EQ(ageAfter(none, id, TrainingMode::synchronous), PlanAge::current) << id;
    }
}

TEST(SeenProblem, AMemoryLimitMakesOutOfDateWhatWasPlannedForMemoryAlone) {
    for (const char* planner : {"spp", "gpipe", "data-parallel"})
        EXPECT_EQ(ageAfter(anotherLimit, planner, TrainingMode::synchronous), PlanAge::current) << planner;
    EXPECT_EQ(ageAfter(anotherLimit, "xpipe", TrainingMode::asynchronous), PlanAge::current);
    for (const char* planner : {"vpipe", "madpipe", "pipedream"})
        EXPECT_EQ(ageAfter(anotherLimit, planner, TrainingMode::asynchronous), PlanAge::outOfDate) << planner;
}

TEST(SeenProblem, TheDevicesOwnMemoryMakesOutOfDateWhatWasPlannedForItAlone) {
    for (const bool limit : {false, true}) {
        for (const char* planner : {"spp", "gpipe", "data-parallel"})
            EXPECT_EQ(ageAfter(moreMemory, planner, TrainingMode::synchronous, limit), PlanAge::current)
                << planner;
        EXPECT_EQ(ageAfter(moreMemory, "xpipe", TrainingMode::asynchronous, limit), PlanAge::current);
        // A limit overrides the devices' own.
        for (const char* planner : {"vpipe", "madpipe", "pipedream"})
            EXPECT_EQ(ageAfter(moreMemory, planner, TrainingMode::asynchronous, limit),
                      limit ? PlanAge::current : PlanAge::outOfDate)
                << planner;
    }
    const auto faster = [](Problem& problem) { problem.cluster.devices[1].speed = 2; };
    EXPECT_EQ(ageAfter(faster, "spp", TrainingMode::synchronous), PlanAge::outOfDate);
}

TEST(SeenProblem, AHashOfTheWholeProblemIsKnownAgain) {
    Problem problem;
    problem.cluster.devices.push_back({"g0", "s0", "", 1e6, 1, 5});
    const ProblemHash free = hashOf(problem);
    EXPECT_EQ(SeenProblem(problem).by(makerOf("madpipe")), free);
    problem.setup.memoryLimitBytes = 100;
    const SeenProblem seen(problem);
    const ProblemHash whole = hashOf(problem);
    EXPECT_EQ(planAge(whole, seen.by(makerOf("spp"), whole)), PlanAge::current);
    EXPECT_EQ(planAge(whole, seen.by(makerOf("madpipe"), whole)), PlanAge::current);
    EXPECT_NE(seen.by(makerOf("spp")), whole);
    EXPECT_EQ(seen.by(makerOf("madpipe")).setup, whole.setup);
    problem.setup.microbatches += 1;
    EXPECT_EQ(planAge(whole, SeenProblem(problem).by(makerOf("spp"), whole)), PlanAge::outOfDate);
}

}  // namespace
}  // namespace stagecraft
