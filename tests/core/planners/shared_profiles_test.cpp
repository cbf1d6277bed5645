// Every profile that other projects published opens, is planned on 8 GPUs by every planner, and holds.
#include "tests/support/test_extent.h"
#include "core/formats/files/import.h"
#include "core/formats/files/project_file.h"
#include "tests/support/every_room.h"
#include "core/generation/cluster_templates.h"
#include "core/planners/planned_run.h"
#include "core/validation/validator.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> publishedProfiles() {
    std::vector<fs::path> files;
    const fs::path folder = fs::path(STAGECRAFT_SHARED_DIR) / "profiles";
    if (!fs::exists(folder)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && isForeignProfile(detectKind(readTextFile(entry.path()))))
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

Cluster eightGpus() {
    SwitchedClusterSpec spec;
    spec.servers = 2;
    spec.gpusPerServer = 4;
    spec.gpu = *findGpu("V100-SXM2-16GB");
    spec.networkBps = 6.25e9;
    return switchedCluster(spec);
}

TEST(PublishedProfiles, EachIsPlannedOnEightGpusByEveryPlannerAndEveryPlanHolds) {
    const std::vector<fs::path> files = publishedProfiles();
    if (files.empty()) GTEST_SKIP() << "the published profiles are not here";
    EXPECT_EQ(files.size(), 24u);
    for (std::size_t n = 0; n < files.size(); ++n) {
        const fs::path& file = files[n];
        SCOPED_TRACE(file.string());
        Problem problem;
        problem.profile = openProfile(file).profile;
        problem.cluster = eightGpus();
        problem.setup.microbatches = 8;
        ASSERT_EQ(whyUnplannable(problem), std::nullopt);
        EXPECT_GE(problem.profile.layerCount(), 8);
        const auto costs = std::make_shared<const CostModel>(problem);
        for (std::size_t p = 0; p < allPlanners().size(); ++p) {
            const auto& planner = allPlanners()[p];
            if (!testing::isTried(n, p) || !planner->description().plansWithBarrier) continue;
            SCOPED_TRACE(planner->description().id);
            const PlanRun run =
                runAndEvaluate(*planner, costs, defaultValues(planner->description().parameters));
            ASSERT_EQ(run.result.status, PlanStatus::ok) << run.result.reason;
            EXPECT_TRUE(run.evaluation->violations.empty());
        }
    }
}

TEST(PublishedProfiles, SplitsThatComeWithThemAreSimulatedAndHold) {
    const fs::path folder = fs::path(STAGECRAFT_SHARED_DIR) / "profiles";
    if (!fs::exists(folder)) GTEST_SKIP() << "the published profiles are not here";
    const fs::path dnn = folder / "dnn-partitioning";
    struct Case {
        fs::path profile, split;
        std::size_t stages;
    };
    for (const Case& each : {Case{folder / "pipedream/vgg16_partitioned.graph.txt", "", 3},
                             Case{dnn / "throughput-inputs/LayerGraphs/bert24_training.json",
                                  dnn / "human-experts/bert24_training_expert.json", 6},
                             Case{dnn / "throughput-inputs/LayerGraphs/inceptionv3_inference.json",
                                  dnn / "human-experts/inceptionv3_inference_expert.json", 6}}) {
        SCOPED_TRACE(each.profile.string());
        ProfileImportOptions options;
        if (!each.split.empty()) {
            options.splitFile = each.split.string();
            options.splitText = readTextFile(each.split);
        }
        const ImportedProfile imported =
            importProfile(readTextFile(each.profile), each.profile.string(), options);
        ASSERT_EQ(imported.splits.size(), 1u);
        EXPECT_EQ(imported.splits[0].parts.size(), each.stages);
        Problem problem{imported.profile, eightGpus(), {}};
        problem.setup.microbatches = 8;
        const std::optional<Plan> plan = planOfSplit(imported.splits[0], problem.cluster);
        ASSERT_TRUE(plan);
        const CostModel costs(problem);
        EXPECT_TRUE(validate(problem, *plan, simulate(costs, *plan)).empty());
        Cluster small = problem.cluster;
        small.devices.resize(2);
        EXPECT_FALSE(planOfSplit(imported.splits[0], small)) << "too few devices";
    }
}

}  // namespace
}  // namespace stagecraft
