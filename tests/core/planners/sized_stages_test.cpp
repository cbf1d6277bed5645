// Plans of the search whose stages have different numbers of devices.
#include "core/formats/files/project_file.h"
#include "core/model/profile_sizes.h"
#include "core/planners/automatic/auto_search.h"
#include "core/planners/automatic/sized_stages.h"
#include "core/planners/planned_run.h"
#include "tests/core/planners/tiny_problems.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace stagecraft {

namespace {

constexpr double rounding = 1e-9;

AutoAnswer searchedWith(const Problem& problem, int batch, const AutoLimits& limits = {}, int threads = 1) {
    return AutoSearch(problem, scaledProfiles(problem.profile), batch, threads).best(limits);
}

/// The second of two layers takes twice as long as the first, and weights are too large for one device to
/// have both.
Problem oneToTwo() {
    std::mt19937 random(1);
    Problem problem = tiny(random, {.layers = 2, .devices = 3});
    for (Layer& layer : problem.profile.layers) {
        layer.forwardS = 1;
        layer.backwardS = 2;
        layer.weightGradientS = 1;
        layer.parameterBytes = 10;
        layer.outputBytes = layer.storedActivationBytes = 0.1;
    }
    Layer& last = problem.profile.layers.back();
    last.forwardS *= 2, last.backwardS *= 2, last.weightGradientS *= 2;
    problem.setup.memoryLimitBytes = 35;
    return problem;
}

/// The plan runs as it is said to on all of its devices.
void expectAsSaid(const AutoPlan& best) {
    const PlanRun run = evaluatePlan(std::make_shared<const CostModel>(best.problem), best.plan);
    ASSERT_TRUE(run.ok()) << run.result.reason;
    EXPECT_TRUE(run.evaluation->valid());
    EXPECT_TRUE(run.evaluation->metrics.fitsMemory);
    EXPECT_NEAR(run.iterationTimeS(), best.iterationS, rounding * best.iterationS);
    std::set<int> devices;
    for (const Stage& stage : best.plan.stages) devices.insert(stage.devices.begin(), stage.devices.end());
    EXPECT_EQ(best.layout.devices(), static_cast<int>(devices.size()));
    const Problem& problem = best.problem;
    EXPECT_EQ(best.layout.microbatches, problem.setup.microbatches);
    EXPECT_EQ(best.layout.samples * best.layout.copies, problem.profile.microbatchSize);
}

}  // namespace

TEST(SizedStages, GiveTheSlowerLayerMoreDevices) {
    const Problem problem = oneToTwo();
    const AutoAnswer equal = searchedWith(problem, 16, {.differentSizes = false});
    const AutoAnswer found = searchedWith(problem, 16);
    ASSERT_TRUE(equal.best && found.best);
    EXPECT_TRUE(equal.best->layout.sizes.empty());
    EXPECT_EQ(found.best->layout.sizes, (std::vector{1, 2}));
    // Sixteen samples of 9 s go to two copies of one rank, or through two ranks of which the second is busy
    // for 6 s with each; of three devices two have half of that.
    EXPECT_NEAR(equal.best->iterationS, 72, 0.1);
    EXPECT_GE(found.best->iterationS, 48);
    EXPECT_LT(found.best->iterationS, 60);
    EXPECT_EQ(found.provenS, found.bestValue());
    EXPECT_EQ(found.tried.front().layout, found.best->layout);
    EXPECT_EQ(layoutText(found.best->layout).substr(0, 25), "pipeline 2 × data 1 + 2,");
    expectAsSaid(*found.best);
    // A plan that takes longer than asked is none.
    EXPECT_FALSE(searchedWith(problem, 16, {.mostSeconds = 40}).best);
}

/// Convolutions go to many devices, and what is dense, with most of the weights, to few.
TEST(SizedStages, MakeVggFasterOnManyDevices) {
    Problem problem;
    const std::string samples = STAGECRAFT_SOURCE_DIR "/samples/";
    problem.profile = openProfile(samples + "profiles/vgg-19.profile.json").profile;
    problem.cluster = openCluster(samples + "clusters/mixed-servers.cluster.json");
    problem.setup.wholeSamples = true;
    const double equalS = searchedWith(problem, 128, {.differentSizes = false}, 2).bestValue();
    const AutoAnswer found = searchedWith(problem, 128, {}, 2);
    ASSERT_TRUE(found.best);
    EXPECT_FALSE(found.best->layout.sizes.empty());
    EXPECT_LT(found.best->iterationS, 0.8 * equalS);
    expectAsSaid(*found.best);
    EXPECT_EQ(searchedWith(problem, 128, {}, 1).best->plan, found.best->plan);
}

TEST(SizedStages, AreNeverSlowerAndNeverFasterThanAllWork) {
    int faster = 0;
    for (unsigned seed = 1; seed <= 30; ++seed) {
        std::mt19937 random(seed);
        Problem problem =
            tiny(random, {.layers = 5, .devices = 3 + static_cast<int>(seed % 3), .hasSync = true});
        problem.setup.memoryLimitBytes = 14.0 + static_cast<double>(random() % 40);
        problem.setup.wholeSamples = true;
        const AutoAnswer equal = searchedWith(problem, 8, {.differentSizes = false});
        const AutoAnswer found = searchedWith(problem, 8, {}, 1 + static_cast<int>(seed % 4));
        EXPECT_LE(found.bestValue(), equal.bestValue());
        EXPECT_LE(found.counts.sizedTried, found.counts.sizedDegrees);
        if (!found.best) continue;
        expectAsSaid(*found.best);
        AutoSearch search(problem, scaledProfiles(problem.profile), 8, 1);
        EXPECT_GE(found.best->iterationS, search.leastOfAllS({}) * (1 - rounding));
        EXPECT_GE(found.bestValue(), found.provenS);
        EXPECT_GT(found.provenS, 0);
        EXPECT_TRUE(found.best->schedule.chunks == 1 ||
                    found.best->schedule.family->placement == Placement::ring);
        const AutoAnswer one = searchedWith(problem, 8, {.mostChunks = 1});
        if (one.best) {
            EXPECT_NE(one.best->schedule.family->placement, Placement::ring) << seed;
        }
        faster += equal.best && found.bestValue() < equal.bestValue() * (1 - rounding);
    }
    EXPECT_GT(faster, 2);
}

TEST(SizedStages, AreOfTheFamiliesAskedForAndOfNoOtherQuestion) {
    const Problem problem = oneToTwo();
    const AutoAnswer some = searchedWith(problem, 16, {.families = {"gpipe"}});
    ASSERT_TRUE(some.best);
    EXPECT_EQ(std::string(some.best->schedule.family->id), "gpipe");
    EXPECT_EQ(some.best->layout.sizes, (std::vector{1, 2}));
    EXPECT_EQ(searchedWith(problem, 16, {.mostDevices = 2}).counts.sizedDegrees, 0);
    EXPECT_EQ(searchedWith(problem, 16, {.objective = AutoObjective::money}).counts.sizedDegrees, 0);
    // What cannot be afforded is counted and left.
    const AutoAnswer none = searchedWith(problem, 16, {.mostPasses = 100});
    EXPECT_EQ(none.counts.sizedTried, 0);
    EXPECT_GT(none.counts.sizedDegrees, 0);
}

TEST(SizedStages, StopWhenToldToAndEndWhenItIsEnough) {
    const Problem problem = oneToTwo();
    AutoSearch search(problem, scaledProfiles(problem.profile), 16, 1);
    std::stop_source stop, enough;
    const AutoLimits limits;
    WorkContext context{stop.get_token(), {}};
    context.enough = enough.get_token();
    SizedStages stages(problem, 16, search.degrees(limits), limits, context);
    const auto costsAt = [&](const Degree& degree, ZeroStage zero) { return search.costsAt(degree, zero); };
    EXPECT_TRUE(stages.fasterThan(infinity, 2, costsAt));
    EXPECT_GT(stages.degreesTried(), 1);
    enough.request_stop();
    SizedStages ended(problem, 16, search.degrees(limits), limits, context);
    ended.fasterThan(infinity, 1, costsAt);
    EXPECT_EQ(ended.degreesTried(), 1);
    EXPECT_EQ(ended.degreesOpen(), stages.degreesOpen());
    stop.request_stop();
    EXPECT_THROW(stages.fasterThan(infinity, 2, costsAt), Cancelled);
}

}  // namespace stagecraft
