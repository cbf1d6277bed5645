// The samples of links that are shared, whose answers their notes work out by hand.
#include "core/analysis/what_bounds.h"
#include "core/formats/files/project_file.h"
#include "core/planners/planned_run.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

namespace stagecraft {
namespace {

/// Milliseconds of an iteration of each plan inside, and that all are valid.
std::vector<double> timesMs(const std::string& name, LinkSharing network) {
    Project project =
        openProject(std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "samples" / (name + ".stagecraft.json"));
    project.problem.setup.network = network;
    const auto costs = std::make_shared<const CostModel>(project.problem);
    std::vector<double> times;
    for (const Plan& plan : project.plans) {
        const PlanRun run = evaluatePlan(costs, plan);
        EXPECT_TRUE(run.ok() && run.evaluation->valid()) << name << ": " << plan.name;
        times.push_back(std::round(1e9 * run.evaluation->metrics.iterationTimeS) * 1e-6);
        const bool contended = whatBounds(*costs, plan, run.evaluation->timeline, run.evaluation->metrics)
                                   .contention.has_value();
        EXPECT_EQ(contended, !run.evaluation->timeline.sharedRuns.empty());
    }
    return times;
}

using Times = std::vector<double>;

TEST(SharedLinkSamples, EightGpusShareANic) {
    EXPECT_EQ(timesMs("shared-nic", LinkSharing::shared), (Times{227, 202}));
    EXPECT_EQ(timesMs("shared-nic", LinkSharing::independent), (Times{87, 132}));
}

/// By hand: the transfers forward and backward take 80 ms in place of 10, which is 140 of 227 ms, and the
/// AllReduce 7 ms as alone.
TEST(SharedLinkSamples, WhatBoundsAPlanThatMeetsOnANicIsTheSharing) {
    const Project project =
        openProject(std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "samples" / "shared-nic.stagecraft.json");
    const auto costs = std::make_shared<const CostModel>(project.problem);
    const PlanRun run = evaluatePlan(costs, project.plans.front());
    ASSERT_TRUE(run.ok());
    const WhatBounds bounds =
        whatBounds(*costs, run.result.plan, run.evaluation->timeline, run.evaluation->metrics);
    EXPECT_EQ(bounds.subject, "shared links");
    EXPECT_EQ(bounds.headline,
              "Shared links bound the time: on the critical path what crosses them takes 140 ms of "
              "227 ms longer than alone.");
    // More microbatches would meet there too.
    EXPECT_EQ(bounds.advice,
              (std::vector<std::string>{
                  "Place the stages so that less crosses a-switch → b-switch at one time, cut the "
                  "network where less is sent, or widen that link."}));
}

TEST(SharedLinkSamples, AFatTreeOfTwoToOne) {
    EXPECT_EQ(timesMs("fat-tree", LinkSharing::shared), (Times{100, 80}));
    EXPECT_EQ(timesMs("fat-tree", LinkSharing::independent), (Times{80, 80}));
}

TEST(SharedLinkSamples, CopiesAlongAndAcrossRails) {
    EXPECT_EQ(timesMs("rail-fabric", LinkSharing::shared), (Times{136, 146}));
    EXPECT_EQ(timesMs("rail-fabric", LinkSharing::independent), (Times{136, 136}));
}

}  // namespace
}  // namespace stagecraft
