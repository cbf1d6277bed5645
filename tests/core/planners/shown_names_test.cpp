// What plans say of themselves must agree with what is printed beside it.
#include "core/analysis/what_bounds.h"
#include "core/base/units.h"
#include "core/formats/files/project_file.h"
#include "core/planners/planned_run.h"
#include "core/planners/spp/guarantees.h"
#include "core/runs/iteration_text.h"
#include "tests/core/support/golden_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <regex>
#include <set>

using namespace stagecraft;

namespace {

const std::string samples = STAGECRAFT_SOURCE_DIR "/samples/";

double secondsOf(const std::string& number, const std::string& unit) {
    const double size = unit == "ns"    ? 1e-9
                        : unit == "µs"  ? 1e-6
                        : unit == "ms"  ? 1e-3
                        : unit == "min" ? 60
                        : unit == "h"   ? 3600
                                        : 1;
    return std::stod(number) * size;
}

}  // namespace

TEST(Lemma1, AddsUpAsPrinted) {
    EXPECT_TRUE(rc::check([] {
        Problem problem;
        const double work = *rc::gen::inRange(1000, 9'999'999) * 1e-7;
        problem.profile.layers.assign(6, Layer{"l", work, 2 * work, 8, 4, 4, 4, 1});
        problem.cluster = stagecraft::testing::meshCluster({{0, 2, 3}, {2, 0, 4}, {3, 4, 0}});
        for (Link& link : problem.cluster.links) link.bandwidthBps *= *rc::gen::inRange(1, 1000);
        problem.setup.microbatches = *rc::gen::inRange(1, 300);
        const Guarantee lemma = lemma1(CostModel(problem), {{0, 2, {0}}, {3, 5, {1, 2}}});
        std::smatch found;
        const std::regex form(
            "= \\((\\d+) \\+ 4 \\* (\\d+) - 4\\) \\* ([0-9.]+) (\\S+) \\+ ([0-9.]+) (\\S+) = "
            "([^;]+);");
        RC_ASSERT(std::regex_search(lemma.because, found, form));
        const double passes = std::stod(found[1]) + 4 * std::stod(found[2]) - 4;
        const double sum = passes * secondsOf(found[3], found[4]) + secondsOf(found[5], found[6]);
        // Half a digit goes up or down as the parts were added.
        RC_ASSERT(formatSeconds(sum * (1 + 1e-12)) == found[7].str() ||
                  formatSeconds(sum * (1 - 1e-12)) == found[7].str());
        RC_ASSERT(formatSeconds(lemma.boundS) == found[7].str());
    }));
}

TEST(Channels, OfGpusWithSeveralStagesHaveNamesOfTheirOwn) {
    const Project project = openProject(samples + "madpipe-fig5.stagecraft.json");
    const PlanRun run = evaluatePlan(std::make_shared<const CostModel>(project.problem), project.plans.at(0));
    ASSERT_TRUE(run.ok()) << run.result.reason;
    const Timeline& timeline = run.evaluation->timeline;
    std::set<std::string> names;
    int channels = 0;
    for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane) {
        if (timeline.lanes[lane].kind != LaneKind::channel) continue;
        ++channels;
        names.insert(laneText(timeline, run.result.plan, project.problem.cluster, static_cast<int>(lane)));
    }
    EXPECT_GE(channels, 2);
    EXPECT_EQ(static_cast<int>(names.size()), channels);
    const std::uint32_t transfer = timeline.find(BlockKind::transferForward, 1, 0, 0);
    ASSERT_NE(transfer, noBlock);
    EXPECT_EQ(describeBlock(timeline, transfer), "transfer forward of microbatch 0 from stage 1 to stage 2");
    const std::uint32_t gradient = timeline.find(BlockKind::transferBackward, 2, 0, 0);
    ASSERT_NE(gradient, noBlock);
    EXPECT_EQ(describeBlock(timeline, gradient), "transfer backward of microbatch 0 from stage 2 to stage 1");
}

TEST(BlockNames, ABackwardIsAnInputGradientWhereBackwardsAreSplit) {
    const Project project = openProject(samples + "schedules.stagecraft.json");
    const auto costs = std::make_shared<const CostModel>(project.problem);
    for (const Plan& plan : project.plans) {
        const PlanRun run = evaluatePlan(costs, plan);
        ASSERT_TRUE(run.ok()) << run.result.reason;
        const Timeline& timeline = run.evaluation->timeline;
        const bool hasWeightGradients = std::find(timeline.kind.begin(), timeline.kind.end(),
                                                  BlockKind::weightGradient) != timeline.kind.end();
        const std::uint32_t block = timeline.find(BlockKind::backward, 0, 0, 0);
        if (const PairedBackward* pair = timeline.pairedWith(block)) {
            EXPECT_EQ(describeBlock(timeline, block),
                      "forward of microbatch " + std::to_string(timeline.microbatch[block]) + " on stage " +
                          std::to_string(timeline.stage[block]) +
                          " with the backward of microbatch 0 on stage 0");
            EXPECT_EQ(pair->stage, 0);
            continue;
        }
        const std::string slice = timeline.slice.empty() ? "" : " of slice 0";
        EXPECT_EQ(describeBlock(timeline, block), (hasWeightGradients ? "input gradient" : "backward") +
                                                      slice + " of microbatch 0 on stage 0");
    }
}

TEST(IterationText, SaysHowIterationMiniBatchAndChartGoTogether) {
    Project project = openProject(samples + "madpipe-fig5.stagecraft.json");
    auto costs = std::make_shared<const CostModel>(project.problem);
    PlanRun run = evaluatePlan(costs, project.plans.at(0));
    ASSERT_TRUE(run.ok());
    const int own = run.costs->problem().setup.microbatches;
    const Timeline& timeline = run.evaluation->timeline;
    const int drawn = 1 + *std::max_element(timeline.iteration.begin(), timeline.iteration.end());
    const std::string each = formatSeconds(run.evaluation->metrics.iterationTimeS);
    const std::string chart = ", to " + formatSeconds(timeline.lastEndS());
    run.microbatchesAsked = own;
    EXPECT_EQ(iterationText(run),
              each + "; the chart shows " + std::to_string(drawn) + " mini-batches" + chart);
    EXPECT_EQ(miniBatchesText(run, 1), "1 mini-batch (the iteration)");
    run.microbatchesAsked = 32 * own;
    EXPECT_EQ(iterationText(run), formatSeconds(run.iterationTimeS()) + " = 32 mini-batches of " + each +
                                      "; the chart shows " + std::to_string(drawn) + chart);
    EXPECT_NEAR(run.iterationTimeS(), 32 * run.evaluation->metrics.iterationTimeS, 1e-12);
    EXPECT_EQ(miniBatchesText(run, 1),
              "1 mini-batch (" + std::to_string(own) + (own == 1 ? " microbatch)" : " microbatches)"));
}
