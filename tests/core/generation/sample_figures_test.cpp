#include "core/formats/files/project_file.h"
#include "tests/support/every_room.h"
#include "core/planners/planned_run.h"
#include "core/schedules/one_forward_one_backward_star.h"

#include "core/schedules/families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace stagecraft {
namespace {

/// The samples that draw the papers' diagrams: what they are said to show is what the model finds.
Project sample(const std::string& name) {
    return openProject(std::string(STAGECRAFT_SOURCE_DIR) + "/samples/" + name + ".stagecraft.json");
}

std::vector<PlanRun> runsOf(const std::string& name) {
    const Project project = sample(name);
    std::vector<PlanRun> runs;
    for (const Plan& plan : project.plans)
        runs.push_back(evaluatePlan(std::make_shared<const CostModel>(project.problem), plan));
    for (const PlanRun& run : runs) {
        EXPECT_TRUE(run.ok()) << name << ": " << run.result.reason;
        if (run.ok()) {
            EXPECT_TRUE(run.evaluation->valid()) << name;
        }
    }
    return runs;
}

const PeriodicSchedule& patternOfRun(const PlanRun& run) {
    return std::get<PeriodicSchedule>(run.result.plan.schedule.order);
}

std::vector<int> groupsOf(const PlanRun& run) {
    const std::vector<PatternTask> path = batchPath(*run.costs, run.result.plan.stages);
    return oneForwardOneBackwardStar(path, patternOfRun(run).periodS).value().groups;
}

TEST(FigureSamples, MadPipesFig2IsAValidPatternOfThreeStages) {
    const std::vector<PlanRun> runs = runsOf("madpipe-fig2");
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(groupsOf(runs[0]), (std::vector<int>{3, 2, 2, 1, 1}));
    EXPECT_NEAR(runs[0].iterationTimeS(), 4 * 0.008, 1e-12);
}

TEST(FigureSamples, MadPipesFig3HasThreeGroups) {
    const std::vector<PlanRun> runs = runsOf("madpipe-fig3");
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(groupsOf(runs[0]), (std::vector<int>{3, 2, 2, 2, 2, 1, 1, 1, 1}));
    EXPECT_EQ(activeBatches(*runs[0].costs, runs[0].result.plan.stages, patternOfRun(runs[0])),
              (std::vector<int>{3, 2, 2, 1, 1}));
}

TEST(FigureSamples, MadPipesFig5HasOneAllocationAndTwoPeaks) {
    const std::vector<PlanRun> runs = runsOf("madpipe-fig5");
    ASSERT_EQ(runs.size(), 2u);
    for (const PlanRun& run : runs) {
        const std::vector<int> active = activeBatches(*run.costs, run.result.plan.stages, patternOfRun(run));
        EXPECT_EQ(active[0], 4);
        EXPECT_EQ(active[2], 2);
        EXPECT_EQ(patternOfRun(run).periodS, 0.004);
    }
    EXPECT_EQ(runs[0].result.plan.stages, runs[1].result.plan.stages);
    EXPECT_EQ(runs[0].evaluation->memory[0].peakBytes(), 6e9);
    EXPECT_EQ(runs[1].evaluation->memory[0].peakBytes(), 5e9);
}

TEST(FigureSamples, GPipeAnd1F1BTakeEquallyLongAndHoldDifferentlyMuch) {
    const std::vector<PlanRun> runs = runsOf("gpipe-1f1b");
    ASSERT_EQ(runs.size(), 2u);
    // (8 + 4 - 1) microbatches of 1 + 2 ms.
    for (const PlanRun& run : runs) EXPECT_NEAR(run.iterationTimeS(), 0.033, 1e-12);
    EXPECT_EQ(runs[0].evaluation->metrics.devices[0].peakInFlight, 8);
    for (int device = 0; device < 4; ++device)
        EXPECT_EQ(runs[1].evaluation->metrics.devices[static_cast<std::size_t>(device)].peakInFlight,
                  4 - device);
}

TEST(FigureSamples, SchedulesTakeTheTimesOfTheirClosedForms) {
    // Four GPUs, eight microbatches; a GPU's forward, input and weight gradient take 1 ms each.
    const std::map<std::string, double> expectedS = {{"gpipe", 0.033},
                                                     {"1f1b", 0.033},
                                                     {"eager-1f1b", 0.033},
                                                     {"bpipe", 0.033},
                                                     {"interleaved", 0.0285},
                                                     {"breadth-first", 0.0285},
                                                     {"zb-h1", 0.027},
                                                     {"zb-h2", 0.027},
                                                     {"zb-v", 0.0255},
                                                     {"dualpipe-v", 0.027},
                                                     {"seq1f1b", 0.02625},
                                                     {"1f1b-overlap", 0.033},
                                                     {"interleaved-overlap", 0.0285}};
    std::set<std::string> seen;
    for (const PlanRun& run : runsOf("schedules")) {
        const std::string& family = std::get<FamilySchedule>(run.result.plan.schedule.order).name;
        seen.insert(family);
        EXPECT_TRUE(run.evaluation->valid()) << family;
        if (expectedS.contains(family)) {
            EXPECT_NEAR(run.iterationTimeS(), expectedS.at(family), 1e-12) << family;
        }
    }
    const auto& families = scheduleFamilies();
    const auto shared = std::ranges::count_if(families, sharesVocabulary);
    EXPECT_EQ(std::ssize(seen) + shared, std::ssize(families));
}

TEST(FigureSamples, XPipesFig1aHasTwoMicrobatchesAMiniBatch) {
    const std::vector<PlanRun> runs = runsOf("xpipe-fig1a");
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_NEAR(runs[0].evaluation->metrics.iterationTimeS, 0.004, 1e-12);
    const Timeline& timeline = runs[0].evaluation->timeline;
    // On the first GPU the fifth microbatch (mini-batch 2) begins once two updates can be predicted for it.
    EXPECT_NE(timeline.find(BlockKind::forward, 0, 0, 2), noBlock);
    EXPECT_EQ(timeline.find(BlockKind::forward, 0, 2, 0), noBlock);
}

}  // namespace
}  // namespace stagecraft
