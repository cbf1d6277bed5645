// XPipe's Figs. 7 and 8: throughput in steady state against GPipe for T = 1, 2, 4 on 2 and 4 GPUs, of
// Inception-V3 and ResNet-101 on images of 224 x 224 and 200 classes, mini-batches of 50 T and 100 T. Layer
// times are computed, not measured; the figures themselves are not in the paper's text, what is claimed of
// them is. Every test prints its figures.

#include "core/generation/cluster_templates.h"
#include "tests/support/every_room.h"
#include "core/generation/generated_profile.h"
#include "core/planners/planned_run.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

namespace stagecraft {
namespace {

constexpr const char* gpuName = "RTX-2080-Ti-11GB";  // the paper's "RTX2080X" is no product

Problem problemOf(const std::string& model, int gpus, int microbatchSize, int microbatches) {
    Problem problem;
    problem.profile = generatedProfile(model, {{"gpu", std::string(gpuName)},
                                               {"microbatch_size", microbatchSize},
                                               {"image_size", 224},
                                               {"classes", 200}});
    problem.cluster = switchedCluster({.servers = 1, .gpusPerServer = gpus, .gpu = *findGpu(gpuName)});
    problem.setup.microbatches = microbatches;
    problem.setup.mode = TrainingMode::asynchronous;
    problem.setup.optimizer = Optimizer::momentum;
    // The paper recomputes to fit; here memory limits are ignored for both.
    problem.setup.memoryLimitBytes = 1e12;
    return problem;
}

double samplesPerS(const std::string& planner, const Problem& problem) {
    const PlanRun run = runAndEvaluate(*findPlanner(planner), std::make_shared<const CostModel>(problem), {});
    EXPECT_TRUE(run.ok()) << run.result.reason;
    EXPECT_TRUE(run.evaluation->valid()) << run.evaluation->violations.front().message;
    return run.evaluation->metrics.throughputSamplesPerS;
}

struct Gain {
    double gpipe = 0, xpipe = 0;
    double percent() const { return 100 * (xpipe / gpipe - 1); }
};

/// By T. Worked out and printed once.
const std::map<int, Gain>& gains(const std::string& model, int gpus) {
    static std::map<std::pair<std::string, int>, std::map<int, Gain>> known;
    std::map<int, Gain>& all = known[{model, gpus}];
    if (!all.empty()) return all;
    for (const int t : {1, 2, 4}) {
        const Problem problem = problemOf(model, gpus, 25 * gpus, t);
        all[t] = {samplesPerS("gpipe", problem), samplesPerS("xpipe", problem)};
        std::printf("%s, %d GPUs, T = %d: GPipe %.1f/s, XPipe %.1f/s, %+.1f %%\n", model.c_str(), gpus, t,
                    all[t].gpipe, all[t].xpipe, all[t].percent());
    }
    return all;
}

double meanPercent(const std::map<int, Gain>& all) {
    double sum = 0;
    for (const auto& [t, gain] : all) sum += gain.percent();
    return sum / static_cast<double>(all.size());
}

class XpipeClaims : public ::testing::TestWithParam<const char*> {};

TEST_P(XpipeClaims, XpipeIsFasterThanGpipeForEveryTOnTwoAndFourGpus) {
    for (const int gpus : {2, 4})
        for (const auto& [t, gain] : gains(GetParam(), gpus))
            EXPECT_GT(gain.percent(), 0) << gpus << " " << t;
}

/// "The throughput of GPipe is very sensitive to the choice of T", and more so on 4 GPUs; XPipe's is not.
TEST_P(XpipeClaims, GpipeDependsOnTAndXpipeDoesNot) {
    std::map<int, double> spread;
    for (const int gpus : {2, 4}) {
        const std::map<int, Gain>& all = gains(GetParam(), gpus);
        EXPECT_LT(all.at(1).gpipe, all.at(2).gpipe);
        EXPECT_LT(all.at(2).gpipe, all.at(4).gpipe);
        spread[gpus] = all.at(4).gpipe / all.at(1).gpipe;
        for (const int t : {2, 4}) EXPECT_NEAR(all.at(t).xpipe / all.at(1).xpipe, 1, 1e-6);
    }
    EXPECT_GT(spread[4], spread[2]);
}

TEST_P(XpipeClaims, TheGainIsGreaterOnFourGpusThanOnTwo) {
    for (const int t : {1, 2, 4})
        EXPECT_GT(gains(GetParam(), 4).at(t).percent(), gains(GetParam(), 2).at(t).percent());
}

/// On average 20.0 % and 88.1 % for Inception-V3, 10.8 % and 84.6 % for ResNet-101. Simulated it is more, and
/// at most what a pipeline of equal stages gains, (N - 1) / T.
TEST_P(XpipeClaims, DeviationFigs7And8TheGainIsGreaterThanMeasured) {
    const bool inception = std::string(GetParam()) == "inception-v3";
    EXPECT_GT(meanPercent(gains(GetParam(), 2)), inception ? 20.0 : 10.8);
    EXPECT_GT(meanPercent(gains(GetParam(), 4)), inception ? 88.1 : 84.6);
    for (const int gpus : {2, 4})
        for (const auto& [t, gain] : gains(GetParam(), gpus))
            EXPECT_LT(gain.percent(), 100.0 * (gpus - 1) / t) << gpus << " GPUs, T = " << t;
}

INSTANTIATE_TEST_SUITE_P(Sec4, XpipeClaims, ::testing::Values("inception-v3", "resnet-101"));

}  // namespace
}  // namespace stagecraft
