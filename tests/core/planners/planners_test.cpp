#include "core/planners/planned_run.h"
#include "core/schedules/families.h"

#include "tests/core/planners/random_problems.h"
#include "tests/core/support/golden_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

namespace stagecraft {
namespace {

Problem smallProblem() {
    Problem problem;
    problem.profile.layers.assign(5, Layer{"l", 1, 2, 8, 4, 4, 4, 1});
    problem.cluster = testing::meshCluster({{0, 2, 3}, {2, 0, 4}, {3, 4, 0}});
    problem.cluster.devices[2].server = "s1";
    problem.setup.microbatches = 4;
    return problem;
}

/// Those that answer a synchronous problem.
std::vector<const Planner*> plannersWithBarrier() {
    std::vector<const Planner*> chosen;
    for (const auto& planner : allPlanners())
        if (planner->description().plansWithBarrier) chosen.push_back(planner.get());
    return chosen;
}

TEST(Registry, EveryPlannerIsDescribedInFullAndFoundByItsId) {
    std::set<std::string> ids;
    for (const auto& planner : allPlanners()) {
        const PlannerDescription& description = planner->description();
        EXPECT_TRUE(ids.insert(description.id).second) << description.id;
        EXPECT_EQ(findPlanner(description.id), planner.get());
        EXPECT_FALSE(description.title.empty() || description.paper.empty() || description.summary.empty());
        for (const Parameter& parameter : description.parameters) {
            EXPECT_FALSE(parameter.label.empty() || parameter.description.empty()) << parameter.name;
            const auto* text = std::get_if<std::string>(&parameter.defaultValue);
            if (!text) {
                EXPECT_TRUE(parameter.choices.empty()) << parameter.name;
            }
            if (!parameter.choices.empty()) {
                EXPECT_NE(std::find(parameter.choices.begin(), parameter.choices.end(), *text),
                          parameter.choices.end());
            } else if (!text && !std::holds_alternative<bool>(parameter.defaultValue)) {
                EXPECT_LT(parameter.minimum, parameter.maximum) << parameter.name;
            }
        }
    }
    for (const char* id :
         {"spp", "data-parallel", "gpipe", "pipedream", "dapple", "hetpipe", "xpipe", "vpipe"})
        EXPECT_TRUE(ids.contains(id)) << id;
    EXPECT_EQ(findPlanner("no such planner"), nullptr);
}

/// One of a parameter's choices each; numbers stay at their defaults.
ParameterValues randomChoices(const PlannerDescription& description) {
    ParameterValues values = defaultValues(description.parameters);
    for (const Parameter& parameter : description.parameters)
        if (!parameter.choices.empty()) values[parameter.name] = *rc::gen::elementOf(parameter.choices);
    return values;
}

TEST(Registry, EveryPlanHasTheClaimsOfItsPlanner) {
    std::size_t claiming = 0;
    const CostModel costs(smallProblem());
    for (const Planner* planner : plannersWithBarrier()) {
        const PlanningResult result = runPlanner(*planner, costs, {});
        ASSERT_EQ(result.status, PlanStatus::ok) << result.reason;
        const PlanClaims &own = result.plan.claims, &ofAll = planner->description().claims;
        EXPECT_EQ(own.oneStagePerDevice, ofAll.oneStagePerDevice) << planner->description().id;
        EXPECT_EQ(own.usesEveryDevice, ofAll.usesEveryDevice) << planner->description().id;
        claiming += ofAll == PlanClaims{} ? 0 : 1;
    }
    EXPECT_GE(claiming, 6u);
}

TEST(Planners, EveryPlanOnRandomSmallProblemsValidates) {
    EXPECT_TRUE(rc::check([] {
        const bool skips = *rc::gen::arbitrary<bool>();
        Problem problem = testing::randomProblem({6, 6, 9, true, true, skips});
        for (Device& device : problem.cluster.devices)
            device.server = "s" + std::to_string(*rc::gen::inRange(0, 3));
        problem.setup.channel =
            *rc::gen::element(ChannelMode::fullDuplex, ChannelMode::halfDuplex, ChannelMode::halfDuplexFifo);
        problem.setup.allreduceOverlaps = *rc::gen::arbitrary<bool>();
        const auto costs = std::make_shared<const CostModel>(problem);
        for (const Planner* planner : plannersWithBarrier()) {
            const ParameterValues values = randomChoices(planner->description());
            const PlanRun run = runAndEvaluate(*planner, costs, values);
            RC_LOG() << planner->description().id << " " << run.result.reason << "\n";
            if (run.result.status == PlanStatus::infeasible) {
                // Not every family takes every partition.
                if (planner->description().id == "schedule") {
                    RC_ASSERT(std::get<std::string>(values.at("family")) != "all");
                    continue;
                }
                // Servers of unequal size, or a system that knows no barrier.
                const bool isVpipe = planner->description().id == "vpipe";
                const std::string& choice = std::get<std::string>(values.at(isVpipe ? "over" : "levels"));
                RC_ASSERT(choice == (isVpipe ? "pipedream" : "servers"));
                continue;
            }
            RC_ASSERT(run.ok());
            if (!run.evaluation->valid()) RC_LOG() << run.evaluation->violations.front().message << "\n";
            RC_ASSERT(run.evaluation->valid());
            const Metrics& metrics = run.evaluation->metrics;
            RC_ASSERT(metrics.iterationTimeS >= metrics.problemBound.seconds * (1 - 1e-9));
            RC_ASSERT(metrics.iterationTimeS >= metrics.planBound.seconds * (1 - 1e-9));
            for (const Guarantee& guarantee : run.result.guarantees)
                if (guarantee.holds && guarantee.boundS > 0)
                    RC_ASSERT(metrics.iterationTimeS <= guarantee.boundS * (1 + 1e-9));
        }
    }));
}

TEST(Planners, EveryParameterChoiceGivesAValidPlan) {
    const auto costs = std::make_shared<const CostModel>([] {
        Problem problem = smallProblem();
        problem.cluster.devices.pop_back();  // servers of equal size for PipeDream's levels
        problem.cluster.links.resize(1);
        problem.cluster.devices[1].server = "s1";
        return problem;
    }());
    for (const Planner* planner : plannersWithBarrier())
        for (const Parameter& parameter : planner->description().parameters)
            for (const std::string& choice : parameter.choices) {
                const PlanRun run = runAndEvaluate(*planner, costs, {{parameter.name, choice}});
                if (planner->description().id == "vpipe" && choice == "pipedream") {
                    EXPECT_EQ(run.result.status, PlanStatus::infeasible);  // it knows no barrier
                    continue;
                }
                const ScheduleFamily* family = findScheduleFamily(choice);
                if (family && sharesVocabulary(*family)) {
                    EXPECT_EQ(run.result.status, PlanStatus::infeasible);  // no layer is one of words
                    continue;
                }
                ASSERT_TRUE(run.ok())
                    << planner->description().id << " " << choice << ": " << run.result.reason;
                EXPECT_TRUE(run.evaluation->valid()) << planner->description().id << " " << choice;
            }
}

TEST(Planners, FiveRunsGiveTheSamePlanAndTheSameBits) {
    const auto costs = std::make_shared<const CostModel>(smallProblem());
    for (const Planner* planner : plannersWithBarrier()) {
        const PlanRun first = runAndEvaluate(*planner, costs, {});
        ASSERT_TRUE(first.ok()) << first.result.reason;
        for (int again = 1; again < 5; ++again) {
            const PlanRun run = runAndEvaluate(*planner, costs, {});
            EXPECT_EQ(run.result.plan, first.result.plan);
            EXPECT_EQ(run.result.notes, first.result.notes);
            EXPECT_EQ(run.result.predictedS, first.result.predictedS);
            EXPECT_EQ(run.evaluation->timeline.startS, first.evaluation->timeline.startS);
            EXPECT_EQ(run.evaluation->timeline.endS, first.evaluation->timeline.endS);
        }
    }
}

TEST(Planners, PlanOnOneDeviceAndOneLayer) {
    Problem problem;
    problem.profile.layers.assign(1, Layer{"l", 1, 2, 8, 4, 4, 4, 1});
    problem.cluster = testing::meshCluster({{0}});
    const auto costs = std::make_shared<const CostModel>(problem);
    for (const Planner* planner : plannersWithBarrier()) {
        const PlanRun run = runAndEvaluate(*planner, costs, {});
        ASSERT_TRUE(run.ok()) << planner->description().id << ": " << run.result.reason;
        EXPECT_DOUBLE_EQ(run.evaluation->metrics.iterationTimeS, 3) << planner->description().id;
    }
}

TEST(RunPlanner, AnUnplannableProblemIsInfeasibleWithItsReason) {
    Problem problem = smallProblem();
    problem.cluster.links.resize(1);
    const CostModel costs(problem);
    for (const auto& planner : allPlanners()) {
        const PlanningResult result = runPlanner(*planner, costs, {});
        EXPECT_EQ(result.status, PlanStatus::infeasible);
        EXPECT_EQ(result.reason, *whyUnplannable(problem));
    }
}

TEST(RunPlanner, PlannersThatNeedABarrierKeepItInAsynchronousMode) {
    Problem problem = smallProblem();
    problem.setup.mode = TrainingMode::asynchronous;
    const CostModel costs(problem);
    for (const auto& planner : allPlanners()) {
        const PlanningResult result = runPlanner(*planner, costs, {});
        ASSERT_EQ(result.status, PlanStatus::ok) << result.reason;
        EXPECT_EQ(result.plan.miniBatch.barrier, !planner->description().plansWithoutBarrier);
    }
}

TEST(RunPlanner, PlannersThatNeedStaleWeightsRefuseABarrier) {
    const CostModel costs(smallProblem());
    for (const auto& planner : allPlanners()) {
        const PlanningResult result = runPlanner(*planner, costs, {});
        EXPECT_EQ(result.status == PlanStatus::infeasible, !planner->description().plansWithBarrier);
        EXPECT_EQ(result.reason.find("synchronous") != std::string::npos,
                  !planner->description().plansWithBarrier);
    }
}

TEST(RunPlanner, AnUnknownParameterOrOneOfTheWrongTypeFailsByName) {
    const CostModel costs(smallProblem());
    const Planner& spp = *findPlanner("spp");
    for (const ParameterValues& values :
         {ParameterValues{{"max_stage", 3}}, ParameterValues{{"max_stages", true}}}) {
        const PlanningResult result = runPlanner(spp, costs, values);
        EXPECT_EQ(result.status, PlanStatus::failed);
        EXPECT_NE(result.reason.find(values.begin()->first), std::string::npos) << result.reason;
    }
}

TEST(PlanRun, IsCalledByItsNameThenByItsPlannersTitle) {
    PlanRun run;
    run.result.plan.planner = "spp";
    run.maker = makerOf("spp");
    EXPECT_EQ(run.title(), "SPP");
    EXPECT_EQ(titleOf(run.result.plan), "SPP");
    run.result.plan.planner = "something else";
    run.maker = makerOf("something else");
    EXPECT_EQ(run.title(), "something else");
    run.result.plan.name = "mine";
    EXPECT_EQ(run.title(), "mine");
}

TEST(PlanRun, APlanThatDoesNotFitItsProblemFailsWithAReason) {
    const auto costs = std::make_shared<const CostModel>(smallProblem());
    Plan plan;
    plan.stages = {{0, 4, {7}}};
    const PlanRun run = evaluatePlan(costs, plan);
    EXPECT_FALSE(run.ok());
    EXPECT_EQ(run.result.status, PlanStatus::failed);
    EXPECT_FALSE(run.result.reason.empty());
    plan.stages = {{0, 4, {2}}};
    EXPECT_TRUE(evaluatePlan(costs, plan).ok());
}

}  // namespace
}  // namespace stagecraft
