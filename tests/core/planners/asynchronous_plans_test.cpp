// Every planner in asynchronous training, on what is shipped and on what others published.
#include "core/formats/files/project_file.h"
#include "tests/support/every_room.h"
#include "tests/support/test_extent.h"
#include "core/formats/files/import.h"
#include "core/generation/cluster_templates.h"
#include "core/planners/planned_run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;

/// @param number of the problem among those that are tried
void expectEveryPlanHolds(Problem problem, std::size_t number) {
    problem.setup.mode = TrainingMode::asynchronous;
    const auto costs = std::make_shared<const CostModel>(problem);
    for (std::size_t p = 0; p < allPlanners().size(); ++p) {
        if (!testing::isTried(number, p, 6)) continue;
        const auto& planner = allPlanners()[p];
        SCOPED_TRACE(planner->description().id);
        const PlanRun run = runAndEvaluate(*planner, costs, defaultValues(planner->description().parameters));
        EXPECT_NE(run.result.status, PlanStatus::failed) << run.result.reason;
        EXPECT_TRUE(run.ok() || planner->description().id != "pipedream") << run.result.reason;
        if (!run.ok()) continue;  // a planner may find that nothing fits
        EXPECT_TRUE(run.evaluation->valid()) << run.evaluation->violations.front().message;
        EXPECT_GE(run.evaluation->metrics.iterationTimeS,
                  run.evaluation->metrics.planBound.seconds * (1 - 1e-9));
    }
}

TEST(AsynchronousPlans, HoldOnEverySampleThatKeepsABarrier) {
    std::set<fs::path> files;
    for (const auto& entry : fs::directory_iterator(fs::path(STAGECRAFT_SOURCE_DIR) / "samples"))
        if (entry.path().string().ends_with(".stagecraft.json")) files.insert(entry.path());
    std::size_t samples = 0;
    for (const fs::path& file : files) {
        SCOPED_TRACE(file.string());
        const Problem problem = openProject(file).problem;
        if (problem.setup.mode == TrainingMode::asynchronous) continue;  // SamplePlans asks the same of these
        expectEveryPlanHolds(problem, samples++);
    }
    EXPECT_GT(samples, 10u);
}

TEST(AsynchronousPlans, HoldOnEveryPublishedProfileWithEightGpus) {
    const fs::path folder = fs::path(STAGECRAFT_SHARED_DIR) / "profiles";
    if (!fs::exists(folder)) GTEST_SKIP() << "the published profiles are not here";
    SwitchedClusterSpec spec;
    spec.servers = 2;
    spec.gpusPerServer = 4;
    spec.gpu = *findGpu("V100-SXM2-16GB");
    spec.networkBps = 6.25e9;
    std::set<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) files.insert(entry.path());
    std::size_t profiles = 0;
    for (const fs::path& file : files) {
        if (!fs::is_regular_file(file) || !isForeignProfile(detectKind(readTextFile(file)))) continue;
        SCOPED_TRACE(file.string());
        Problem problem;
        problem.profile = openProfile(file).profile;
        problem.cluster = switchedCluster(spec);
        problem.setup.microbatches = 8;
        expectEveryPlanHolds(problem, profiles++);
        std::size_t way = 0;
        for (const char* variant : {"ring", "released"})
            for (const char* levels : {"flat", "automatic"}) {
                if (!testing::isTried(profiles, way++)) continue;
                problem.setup.mode = TrainingMode::asynchronous;
                const Planner& planner = *findPlanner("pipedream");
                ParameterValues values = defaultValues(planner.description().parameters);
                values["variant"] = std::string(variant);
                values["levels"] = std::string(levels);
                const PlanRun run =
                    runAndEvaluate(planner, std::make_shared<const CostModel>(problem), values);
                ASSERT_TRUE(run.ok()) << variant << ": " << run.result.reason;
                EXPECT_TRUE(run.evaluation->valid()) << run.evaluation->violations.front().message;
            }
    }
}

}  // namespace
}  // namespace stagecraft
