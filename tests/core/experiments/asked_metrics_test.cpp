// Metrics that a cell has only where its experiment names them.
#include "core/experiments/cell_result.h"
#include "core/experiments/study_results.h"
#include "core/formats/files/project_file.h"
#include "core/planners/planned_run.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

PlanRun runOfMixtral() {
    Project project = openProject(STAGECRAFT_SOURCE_DIR "/samples/mixtral-8x7b.stagecraft.json");
    project.problem.setup.gpuPricePerHour = 2;
    return evaluatePlan(std::make_shared<const CostModel>(project.problem), project.plans.front());
}

}  // namespace

TEST(AskedMetrics, AreThereWhereTheyAreNamedAndNowhereElse) {
    const PlanRun run = runOfMixtral();
    ASSERT_TRUE(run.ok());
    const std::vector<std::string> named = {"iteration_time_s", "mfu", "dollars_per_billion_tokens"};
    const CellResult plain = resultOf(run), asked = resultOf(run, named);
    EXPECT_EQ(askedAlone(named), (std::vector<std::string>{"mfu", "dollars_per_billion_tokens"}));
    EXPECT_TRUE(askedAlone({"iteration_time_s"}).empty());
    EXPECT_TRUE(plain.metric("iteration_time_s"));
    EXPECT_FALSE(plain.metric("mfu"));
    EXPECT_FALSE(asked.metric("tokens_per_s"));
    ASSERT_TRUE(asked.metric("mfu"));
    EXPECT_GT(*asked.metric("mfu"), 0.05);
    EXPECT_LT(*asked.metric("mfu"), 1);
    // 16 GPUs at two dollars an hour, for as long as a billion tokens take.
    const double tokens = run.costs->problem().profile.divisible.tokens *
                          run.costs->problem().samplesPerIteration() / *plain.metric("iteration_time_s");
    const double dollars = 16 * 2 * 1e9 / tokens / 3600;
    EXPECT_NEAR(*asked.metric("dollars_per_billion_tokens"), dollars, 1e-6 * dollars);
    EXPECT_EQ(asked.metrics.size(), plain.metrics.size() + 2);
    EXPECT_TRUE(findMetric("mfu"));
    EXPECT_FALSE(findMetric("planning_time_s"));
}

/// Its cells are of a plan; those of other studies are of none.
TEST(AskedMetrics, AreThereInAStudyOfTheLargestMicrobatch) {
    Project project = openProject(STAGECRAFT_SOURCE_DIR "/samples/mixtral-8x7b.stagecraft.json");
    project.problem.setup.gpuPricePerHour = 2;
    project.problem.setup.gpuPowerW = 700;
    for (Device& device : project.problem.cluster.devices) device.memoryBytes = 1e12;
    AskedPlanner asked;
    asked.planner = "pipedream";
    Study study;
    study.largestMicrobatch = true;
    const std::vector<std::string> named = {"dollars_per_billion_tokens", "kwh_per_billion_tokens"};
    const auto cellOf = [&](const std::vector<std::string>& metrics) {
        return studyResults(project.problem, asked,
                            defaultValues(findPlanner("pipedream")->description().parameters), {study},
                            metrics, {})
            .front();
    };
    const CellResult plain = cellOf({"iteration_time_s"}), cell = cellOf(named);
    ASSERT_EQ(cell.status, CellStatus::ok) << cell.reason;
    EXPECT_FALSE(plain.metric("kwh_per_billion_tokens"));
    ASSERT_TRUE(cell.metric("kwh_per_billion_tokens") && cell.metric("dollars_per_billion_tokens"));
    // The same GPU hours, of which each takes 0.7 kWh and 2 dollars.
    EXPECT_NEAR(*cell.metric("kwh_per_billion_tokens") / 0.7, *cell.metric("dollars_per_billion_tokens") / 2,
                1e-9 * *cell.metric("dollars_per_billion_tokens"));
}

}  // namespace stagecraft
