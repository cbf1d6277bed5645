// Planning on every machine of the collection of topologies.
#include "core/formats/files/project_file.h"
#include "core/formats/topology/import.h"
#include "core/planners/planned_run.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;

/// Small, and with stages worth splitting.
LayerProfile smallProfile() {
    LayerProfile profile;
    profile.name = "six layers";
    for (int layer = 0; layer < 6; ++layer) {
        Layer each;
        each.name = "layer " + std::to_string(layer);
        each.forwardS = 0.01 + 0.002 * layer;
        each.backwardS = 2 * each.forwardS;
        each.parameterBytes = 40e6;
        each.outputBytes = each.outputGradientBytes = 8e6;
        profile.layers.push_back(each);
        if (layer > 0) profile.edges.push_back({layer - 1, layer});
    }
    return profile;
}

TEST(TopologyPlans, EveryPlannerPlansOnEveryMachineAndEachPlanIsValid) {
    const fs::path folder = fs::path(STAGECRAFT_SHARED_DIR) / "topologies";
    if (!fs::exists(folder)) GTEST_SKIP() << "no collection of topologies at " << folder;
    int machines = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        const bool isNone = name.ends_with(".md") || name == "expected.json" || !entry.is_regular_file();
        // One has no numbers and one names no GPU.
        if (isNone || name == "dgx_v100_8gpu.yml" || name == "aws_g5_48xl.template.xml") continue;
        SCOPED_TRACE(name);
        Problem problem;
        problem.profile = smallProfile();
        problem.cluster = openCluster(entry.path());
        problem.setup.microbatches = 4;
        ASSERT_EQ(whyUnplannable(problem), std::nullopt);
        const auto costs = std::make_shared<const CostModel>(problem);
        for (const auto& planner : allPlanners()) {
            if (!planner->description().plansWithBarrier) continue;
            const PlanRun run =
                runAndEvaluate(*planner, costs, defaultValues(planner->description().parameters));
            ASSERT_TRUE(run.ok()) << planner->description().id << ": " << run.result.reason;
            EXPECT_TRUE(run.evaluation->violations.empty()) << planner->description().id;
        }
        ++machines;
    }
    EXPECT_EQ(machines, 36);
}

}  // namespace
}  // namespace stagecraft
