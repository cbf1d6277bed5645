#include "core/planners/applicability.h"

#include "tests/core/support/golden_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

Problem smallProblem(TrainingMode mode) {
    Problem problem;
    problem.profile.layers.assign(5, Layer{"l", 1, 2, 8, 4, 4, 4, 1});
    problem.cluster = testing::meshCluster({{0, 2, 3}, {2, 0, 4}, {3, 4, 0}});
    problem.setup.microbatches = 4;
    problem.setup.mode = mode;
    return problem;
}

/// The planner's defaults, and each of the choices that its parameters have.
std::vector<ParameterValues> oneChoiceEach(const Planner& planner) {
    std::vector<ParameterValues> all = {{}};
    for (const Parameter& parameter : planner.description().parameters)
        for (const std::string& choice : parameter.choices) all.push_back({{parameter.name, choice}});
    return all;
}

TEST(Applicability, SaysBeforehandWhichPlannersRefuseTheMode) {
    for (const TrainingMode mode : {TrainingMode::synchronous, TrainingMode::asynchronous}) {
        const Problem problem = smallProblem(mode);
        const CostModel costs(problem);
        for (const std::unique_ptr<Planner>& planner : allPlanners())
            for (const ParameterValues& values : oneChoiceEach(*planner)) {
                const PlanningResult result = runPlanner(*planner, costs, values);
                const bool refused = result.status == PlanStatus::infeasible &&
                                     result.reason.find("without a barrier") != std::string::npos;
                const std::string& which = planner->description().id;
                EXPECT_EQ(appliesTo(*planner, problem.setup, values), !refused) << which;
                // What is known of the plan alone says the same.
                if (refused) {
                    EXPECT_TRUE(needsAsynchronousMode(result.plan)) << which;
                }
            }
    }
}

TEST(Applicability, NamesThoseThatAreLeftOut) {
    EXPECT_EQ(whyLeftOut({}), "");
    EXPECT_EQ(whyLeftOut({findPlanner("xpipe")}), "XPipe trains without a barrier; the setup keeps one.");
    EXPECT_EQ(whyLeftOut({findPlanner("xpipe"), findPlanner("vpipe"), findPlanner("madpipe")}),
              "XPipe, vPipe and MadPipe train without a barrier; the setup keeps one.");
}

}  // namespace
}  // namespace stagecraft
