// The qualitative claims of SPP's Figs. 5 to 10 (Sec. V-B), on the default setting of that section with
// computed layer times and bandwidths drawn from three seeds. The figures themselves are not in the paper's
// text; what is claimed about them is. Where a claim does not hold here, a test whose name starts with
// "Deviation" says what holds instead. Each test prints its figures.

#include "core/generation/analytic_profile.h"
#include "core/generation/cluster_templates.h"
#include "core/runs/plan_run.h"
#include "tests/core/planners/runs.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>

namespace stagecraft {
namespace {

const std::vector<std::string> baselines = {"data-parallel", "gpipe", "pipedream", "hetpipe"};
using Times = std::map<std::string, double>;  ///< iteration time in seconds, by planner

using testing::runWithDefaults;

double spread(const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end()) / *std::min_element(values.begin(), values.end());
}

class SppClaims : public ::testing::TestWithParam<int> {
protected:
    static RandomClusterSpec defaultCluster() {
        return sppDefaultCluster(static_cast<std::uint64_t>(GetParam()));
    }

    static Problem defaultProblem(const std::string& model = "bert-large") {
        Problem problem;
        problem.profile = analyticProfile(network(model), *findGpu("V100-SXM2-16GB"), {.microbatchSize = 6});
        problem.cluster = randomCluster(defaultCluster());
        problem.setup = {.microbatches = 32, .channel = ChannelMode::halfDuplex};
        return problem;
    }

    /// Fig. 6: the range between servers times `factor`.
    static Problem withNetwork(double factor) {
        Problem problem = defaultProblem();
        RandomClusterSpec spec = defaultCluster();
        spec.interServer.minBps *= factor;
        spec.interServer.maxBps *= factor;
        problem.cluster = randomCluster(spec);
        return problem;
    }

    /// Fig. 9: what layers pass on times `factor`.
    static Problem withActivations(double factor) {
        Problem problem = defaultProblem();
        for (Layer& layer : problem.profile.layers) {
            layer.outputBytes *= factor;
            layer.outputGradientBytes *= factor;
        }
        return problem;
    }

    /// Of the planners that the paper compares.
    static Times timesOfAll(const std::string& label, const Problem& problem) {
        Times times;
        std::printf("seed %d, %s:", GetParam(), label.c_str());
        std::vector<std::string> compared = baselines;
        compared.push_back("spp");
        for (const std::string& id : compared) {
            const PlanRun planned = runWithDefaults(id, problem);
            EXPECT_TRUE(planned.ok()) << id << ": " << planned.result.reason;
            if (!planned.ok()) continue;
            EXPECT_TRUE(planned.evaluation->valid()) << id << " " << label;
            times[id] = planned.evaluation->metrics.iterationTimeS;
            std::printf(" %s %.4f s", id.c_str(), times[id]);
        }
        std::printf("\n");
        return times;
    }

    static void expectSppFirst(const Times& times, const std::string& label) {
        for (const std::string& baseline : baselines)
            EXPECT_LT(times.at("spp"), times.at(baseline)) << baseline << ", " << label;
    }
};

TEST_P(SppClaims, Fig5SppIsFasterThanEveryBaselineAtEveryNumberOfMicrobatches) {
    for (const int microbatches : {8, 16, 32, 64, 128}) {
        Problem problem = defaultProblem();
        problem.setup.microbatches = microbatches;
        const std::string label = std::to_string(microbatches) + " microbatches";
        expectSppFirst(timesOfAll(label, problem), label);
    }
}

TEST_P(SppClaims, Fig5MoreMicrobatchesLeaveSmallerBubblesUnderSpp) {
    double last = 1;
    for (const int microbatches : {8, 16, 32, 64, 128}) {
        Problem problem = defaultProblem();
        problem.setup.microbatches = microbatches;
        const double bubbles = runWithDefaults("spp", problem).evaluation->metrics.bubbleFraction;
        std::printf("seed %d, %d microbatches: bubbles %.3f\n", GetParam(), microbatches, bubbles);
        EXPECT_LT(bubbles, last) << microbatches;
        last = bubbles;
    }
}

TEST_P(SppClaims, Fig6SppAndGPipeAreStableAcrossNetworksWhileDataParallelismAndHetPipeDropOnSlowOnes) {
    std::map<std::string, std::vector<double>> times;
    for (const double factor : {0.25, 1.0, 2.0}) {  // [8, 10], [32, 40], [64, 80] Gbps
        const std::string label = "network x " + std::to_string(factor);
        const Times all = timesOfAll(label, withNetwork(factor));
        expectSppFirst(all, label);
        for (const auto& [planner, time] : all) times[planner].push_back(time);
    }
    EXPECT_LT(spread(times["spp"]), 1.10);
    EXPECT_LT(spread(times["gpipe"]), 1.20);
    EXPECT_GT(times["data-parallel"][0], 2.5 * times["data-parallel"][1]);
    EXPECT_GT(times["hetpipe"][0], 1.5 * times["hetpipe"][1]);
}

// The paper calls PipeDream stable here as well. Here it is far more stable than data parallelism, but not
// like SPP and GPipe: a faster network lets it replicate stages, which takes stages out of its start-up, and
// on a slow one its few microbatches in flight do not hide the transfers.
TEST_P(SppClaims, DeviationFig6PipeDreamIsLessStableThanSppAndGPipe) {
    std::vector<double> pipedream, dataParallel;
    for (const double factor : {0.25, 1.0, 2.0}) {
        pipedream.push_back(
            runWithDefaults("pipedream", withNetwork(factor)).evaluation->metrics.iterationTimeS);
        dataParallel.push_back(
            runWithDefaults("data-parallel", withNetwork(factor)).evaluation->metrics.iterationTimeS);
        std::printf("seed %d, network x %.2f: pipedream %.4f s\n", GetParam(), factor, pipedream.back());
    }
    EXPECT_GT(spread(pipedream), 1.3);
    EXPECT_LT(spread(pipedream), spread(dataParallel) / 2);
}

TEST_P(SppClaims, Fig7SppIsFastestOnEveryTopology) {
    const std::map<std::string, std::vector<ServerGroup>> topologies = {
        {"[16x2]", {sppPcieServers(16, 2)}},
        {"[6x2, 3x4, 1x8]", {sppPcieServers(6, 2), sppNvlinkServers(3, 4), sppNvlinkServers(1, 8)}},
        {"[8x4]", {sppPcieServers(3, 4), sppNvlinkServers(5, 4)}},
        {"[4x4, 2x8]", {sppPcieServers(4, 4), sppNvlinkServers(2, 8)}},
        {"[4x8]", {sppNvlinkServers(4, 8)}}};
    for (const auto& [label, groups] : topologies) {
        Problem problem = defaultProblem();
        RandomClusterSpec spec = defaultCluster();
        spec.groups = groups;
        problem.cluster = randomCluster(spec);
        expectSppFirst(timesOfAll(label, problem), label);
    }
}

TEST_P(SppClaims, Fig8SppAndPipeDreamKeepTheirTimePerLayerAndSppIsAFifthFaster) {
    std::vector<double> spp, pipedream;
    for (const char* model : {"bert-large", "bert-48", "bert-72"}) {
        const Problem problem = defaultProblem(model);
        const Times times = timesOfAll(model, problem);
        expectSppFirst(times, model);
        EXPECT_GT(times.at("pipedream"), 1.2 * times.at("spp")) << model;
        spp.push_back(times.at("spp") / problem.profile.layerCount());
        pipedream.push_back(times.at("pipedream") / problem.profile.layerCount());
    }
    EXPECT_LT(spread(spp), 1.15);
    // The paper's is as stable. Of PipeDream's optimal plans with the fewest stages that of 72 blocks is cut
    // otherwise, and a sixth faster by the layer.
    EXPECT_LT(spread(pipedream), 1.2);
}

TEST_P(SppClaims, Fig9SppStaysSimilarWithLargerActivationsAndGPipeDoesNot) {
    std::vector<double> spp, gpipe;
    for (const double factor : {0.5, 1.0, 2.0, 4.0, 8.0}) {
        const std::string label = "activations x " + std::to_string(factor);
        const Times times = timesOfAll(label, withActivations(factor));
        expectSppFirst(times, label);
        spp.push_back(times.at("spp"));
        gpipe.push_back(times.at("gpipe"));
    }
    EXPECT_LT(spread(spp), 1.05);
    EXPECT_GT(spread(gpipe), 1.5);
}

TEST_P(SppClaims, Fig10MoreStagesLowerWThenTheTimeHasItsBestInBetween) {
    const std::vector<Attempt> attempts = runWithDefaults("spp", defaultProblem()).result.attempts;
    ASSERT_EQ(attempts.size(), 27u);
    for (const Attempt& attempt : attempts)
        std::printf("seed %d: %d stages, W %.4f s, time %.4f s%s\n", GetParam(), attempt.stages,
                    attempt.objectiveS, attempt.iterationTimeS, attempt.chosen ? ", chosen" : "");
    const auto best = std::min_element(
        attempts.begin(), attempts.end(),
        [](const Attempt& a, const Attempt& b) { return a.iterationTimeS < b.iterationTimeS; });
    EXPECT_TRUE(best->chosen);
    for (std::size_t stages = 1; stages < 4; ++stages)  // W falls up to four stages
        EXPECT_LT(attempts[stages].objectiveS, attempts[stages - 1].objectiveS);
    EXPECT_GT(attempts[0].objectiveS, 1.5 * attempts[3].objectiveS);
    std::vector<double> afterwards;  // and is nearly the same from there on
    for (std::size_t stages = 4; stages <= attempts.size(); ++stages)
        afterwards.push_back(attempts[stages - 1].objectiveS);
    EXPECT_LT(spread(afterwards), 1.3);
    EXPECT_GT(attempts.front().iterationTimeS, 1.5 * best->iterationTimeS);
    EXPECT_GT(attempts.back().iterationTimeS, 1.5 * best->iterationTimeS);
}

// In the paper W stays where it is from four stages on and six stages win. Here W has its least value where
// each stage has a server of four GPUs to itself (three blocks each), and beyond it is 32 microbatches of one
// block on one GPU: with more stages than servers some stage has a block for each of its GPUs, or straddles
// servers.
TEST_P(SppClaims, DeviationFig10OneStageAServerWinsAndWRisesBeyond) {
    const std::vector<Attempt> attempts = runWithDefaults("spp", defaultProblem()).result.attempts;
    ASSERT_EQ(attempts.size(), 27u);
    const Attempt& perServer = attempts[7];
    EXPECT_EQ(perServer.stages, 8);
    EXPECT_TRUE(perServer.chosen);
    for (const Attempt& attempt : attempts)
        EXPECT_GE(attempt.objectiveS, perServer.objectiveS) << attempt.stages;
    const Layer block = defaultProblem().profile.layers[1];
    for (std::size_t more = 8; more < attempts.size(); ++more)
        EXPECT_NEAR(attempts[more].objectiveS, 32 * (block.forwardS + block.backwardS), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SppClaims, ::testing::Values(1, 2, 2022));

}  // namespace
}  // namespace stagecraft
