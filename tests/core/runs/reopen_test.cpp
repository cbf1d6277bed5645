// Plans that were saved: what their planner said of them, how old they are, and their state.

#include "core/planners/planned_run.h"
#include "core/runs/seen_problem.h"
#include "tests/support/every_room.h"
#include "core/runs/standing.h"

#include "tests/core/support/golden_cases.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

Problem fiveLayersOnThreeGpus() {
    Problem problem;
    problem.profile.layers.assign(5, Layer{"l", 1, 2, 8, 4, 4, 4, 1});
    problem.cluster = testing::meshCluster({{0, 2, 3}, {2, 0, 4}, {3, 4, 0}});
    problem.setup.microbatches = 4;
    return problem;
}

PlanRun runOf(const char* planner, const Problem& problem, const ParameterValues& values = {}) {
    return runAndEvaluate(*findPlanner(planner), std::make_shared<const CostModel>(problem), values);
}

PlanRun reopened(const Problem& problem, const Plan& plan, const PlanOrigin& origin) {
    return reopenPlan(std::make_shared<const CostModel>(problem), plan, origin);
}

TEST(ReopenedPlan, HasWhatItsPlannerSaidOfItThoughNoPlannerRuns) {
    const Problem problem = fiveLayersOnThreeGpus();
    const PlanRun first = runOf("spp", problem, {{"max_stages", 2}});
    ASSERT_TRUE(first.ok());
    ASSERT_EQ(first.plannedFor, SeenProblem(problem).by(makerOf("spp")));
    PlanOrigin origin = originOf(first);
    // Words that no planner would say: they can come from nowhere but the file.
    origin.report->notes = {"a note of the file's own"};
    origin.report->planningTimeS = 123;
    const PlanRun again = reopened(problem, first.result.plan, origin);
    EXPECT_EQ(again.age, PlanAge::current);
    EXPECT_EQ(again.result.notes, origin.report->notes);
    EXPECT_EQ(again.result.planningTimeS, 123);
    EXPECT_EQ(again.result.attempts, first.result.attempts);
    EXPECT_EQ(again.result.guarantees, first.result.guarantees);
    EXPECT_EQ(again.result.predictedS, first.result.predictedS);
    EXPECT_EQ(again.result.deviceOrder, first.result.deviceOrder);
    EXPECT_FALSE(again.reportMissing);
    EXPECT_EQ(originOf(again), origin);
}

TEST(ReopenedPlan, OfAFileOfBeforeLacksTheWordsAndSaysSo) {
    const Problem problem = fiveLayersOnThreeGpus();
    const PlanRun first = runOf("spp", problem);
    const PlanRun again = reopened(problem, first.result.plan, {});
    EXPECT_EQ(again.age, PlanAge::current);
    EXPECT_TRUE(again.reportMissing);
    EXPECT_TRUE(again.result.attempts.empty());
    EXPECT_EQ(again.evaluation->metrics.iterationTimeS, first.evaluation->metrics.iterationTimeS);
    Plan own = first.result.plan;
    own.planner = "hand";
    EXPECT_FALSE(reopened(problem, own, {}).reportMissing) << "no planner said anything of it";
}

TEST(ReopenedPlan, MadeForAnotherProblemIsOutOfDateAndKeepsNoBoundThatWasProvenThere) {
    const Problem problem = fiveLayersOnThreeGpus();
    const PlanRun first = runOf("spp", problem);
    ASSERT_GT(first.result.guarantees.size(), 1u);
    Problem changed = problem;
    changed.setup.microbatches = 300;
    const PlanRun again = reopened(changed, first.result.plan, originOf(first));
    EXPECT_TRUE(again.ok());
    EXPECT_EQ(again.age, PlanAge::outOfDate);
    EXPECT_EQ(again.changed, "setup");
    EXPECT_EQ(standingOf(again), Standing::outOfDate);
    EXPECT_FALSE(isCompared(again));
    EXPECT_EQ(again.result.predictedS, std::nullopt);
    EXPECT_TRUE(again.result.notes.empty());
    // Lemma 1 is proven of any plan under PE, and worked out anew; what else was said is of M = 4.
    for (const Guarantee& guarantee : again.result.guarantees) EXPECT_EQ(guarantee.name, "Lemma 1");
    ASSERT_EQ(again.result.attempts.size(), first.result.attempts.size());
    for (const Attempt& attempt : again.result.attempts) EXPECT_TRUE(attempt.partition.empty());
    const PlanRun back = reopened(problem, first.result.plan, originOf(first));
    EXPECT_EQ(back.age, PlanAge::current);
    EXPECT_EQ(back.result.guarantees, first.result.guarantees);
}

TEST(ReopenedPlan, OfAnotherNetworkWithAsManyLayersIsMarkedAsSuch) {
    const Problem problem = fiveLayersOnThreeGpus();
    const PlanRun first = runOf("spp", problem);
    Problem other = problem;
    for (Layer& layer : other.profile.layers) layer = {"other", 3, 4, 5, 6, 7, 8, 1};
    const PlanRun again = reopened(other, first.result.plan, originOf(first));
    EXPECT_TRUE(again.ok());
    EXPECT_EQ(standingOf(again), Standing::otherProfile);
}

TEST(ReopenedPlan, DropsAttemptsWhoseLayersOrDevicesAreNotThere) {
    const Problem problem = fiveLayersOnThreeGpus();
    const PlanRun first = runOf("spp", problem);
    PlanOrigin origin = originOf(first);
    for (const Stage& broken : {Stage{0, 99, {0}}, Stage{0, 4, {7}}, Stage{-1, 4, {0}}}) {
        origin.report->attempts.at(0).partition = {broken};
        const PlanRun again = reopened(problem, first.result.plan, origin);
        EXPECT_TRUE(again.ok());
        for (const Attempt& attempt : again.result.attempts) EXPECT_TRUE(attempt.partition.empty());
    }
}

TEST(PlanlessAnswer, KeepsItsReasonForEveryProblem) {
    Problem problem = fiveLayersOnThreeGpus();
    const PlanRun refused = runOf("xpipe", problem);
    ASSERT_FALSE(refused.ok());
    ASSERT_FALSE(refused.result.reason.empty());
    const PlanlessAnswer answer = answerOf(refused);
    const PlanRun again = planlessRun(std::make_shared<const CostModel>(problem), answer);
    EXPECT_EQ(again.result.reason, refused.result.reason);
    EXPECT_EQ(standingOf(again), Standing::infeasible);
    problem.setup.microbatches = 9;
    const PlanRun later = planlessRun(std::make_shared<const CostModel>(problem), answer);
    EXPECT_EQ(standingOf(later), Standing::outOfDate);
    EXPECT_EQ(later.result.reason, refused.result.reason);
    EXPECT_NE(standingSentence(later).find(refused.result.reason), std::string::npos);
}

TEST(Standing, OfAPlanThatDoesNotFitIsNotThatOfOneThatDoes) {
    Problem problem = fiveLayersOnThreeGpus();
    for (Device& device : problem.cluster.devices) device.memoryBytes = 1e9;
    EXPECT_EQ(standingOf(runOf("gpipe", problem)), Standing::fits);
    for (Device& device : problem.cluster.devices) device.memoryBytes = 1;
    const PlanRun large = runOf("gpipe", problem);
    ASSERT_TRUE(large.ok() && large.evaluation->valid());
    EXPECT_EQ(standingOf(large), Standing::doesNotFit);
    EXPECT_STREQ(standingName(standingOf(large)), "does not fit");
}

TEST(SavedParameters, ThatAPlannerNoLongerTakesHaveTheirDefaults) {
    const Planner& spp = *findPlanner("spp");
    const ParameterValues usual = defaultValues(spp.description().parameters);
    ParameterValues two = usual;
    two["max_stages"] = 2;
    EXPECT_EQ(valuesOf(spp, {{"max_stages", "2"}, {"of another version", "3"}}), two);
    EXPECT_EQ(valuesOf(spp, {{"max_stages", "no number"}}), usual);
}

}  // namespace
}  // namespace stagecraft
