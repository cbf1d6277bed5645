// The file of an experiment: round trip, recipes, and what is said of mistakes.

#include "core/experiments/experiment.h"
#include "tests/support/every_room.h"
#include "core/experiments/grid.h"
#include "core/formats/input_error.h"
#include "experiment_fixtures.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

TEST(ExperimentFile, WritesWhatReadsBackTheSame) {
    const std::string claims = R"([{"text": "t", "kind": "ratio", "planner": "SPP", "against": ["GPipe"],
        "below": 1.5, "where": {"microbatches": {"at_least": 4}, "network": [1e9]}}])";
    const std::string axes = R"([
        {"name": "microbatches", "pointer": "/setup/microbatches", "range": {"from": 2, "to": 8, "step": 3}},
        {"name": "network", "unit": "B/s", "pointer": ["/cluster/links/0/bandwidth_Bps", "/cluster/links/1/bandwidth_Bps"],
         "values": [1e9, {"label": "fast", "value": 4e9}]},
        {"name": "case", "cases": [{"label": "a", "set": {"/setup/optimizer": "adam"}}, {"label": "b", "set": {}}]},
        {"name": "seed", "pointer": "/setup/allreduce_overlaps", "values": [true, false]}])";
    const std::string text = writeExperiment(readExperiment(smallExperiment(axes, claims), "e.json", {}));
    const Experiment again = readExperiment(text, "e.json", {});
    EXPECT_EQ(writeExperiment(again), text);
    EXPECT_EQ(again.axes[0].values.size(), 3u);
    EXPECT_EQ(again.axes[1].values[1].changes.size(), 2u);
    EXPECT_EQ(Grid(again).pointCount(), 3u * 2 * 2 * 2);
}

TEST(ExperimentFile, RangesReachTheirEnd) {
    const Experiment experiment = readExperiment(
        smallExperiment(
            R"([{"name": "x", "pointer": "/cluster/links/0/latency_s", "range": {"from": 0.1, "to": 0.7, "step": 0.1}},
                {"name": "M", "pointer": "/setup/microbatches", "range": {"from": 4, "to": 256, "factor": 2}}])"),
        "e.json", {});
    EXPECT_EQ(experiment.axes[0].values.size(), 7u);
    EXPECT_EQ(experiment.axes[1].values.size(), 7u);
    EXPECT_EQ(experiment.axes[1].values.back().label, "256");
}

TEST(Recipes, MakeProfilesAndClustersAndChangeThem) {
    const std::string text = R"({"format": "stagecraft/experiment", "version": 1, "name": "r",
        "base": {"profile": {"generate": "bert-large", "parameters": {"microbatch_size": 6},
                             "repeat": {"first": 1, "last": 2, "copies": 3}, "scale": {"outputs": 2}},
                 "cluster": {"random": {"groups": [{"servers": 2, "gpus_per_server": 2, "inside_Gbps": [96, 128]}],
                                        "network_Gbps": [32, 40], "gpu": "V100-SXM2-16GB", "seed": 3},
                             "memory_bytes": 5e9, "bandwidth": [{"kind": "rdma", "Bps": 1e9}]},
                 "setup": {"microbatches": 4}},
        "planners": ["gpipe"]})";
    const Problem problem = Grid(readExperiment(text, "e.json", {})).problem(0);
    EXPECT_EQ(problem.profile.layerCount(), 27 + 4);
    EXPECT_EQ(problem.cluster.deviceCount(), 4);
    EXPECT_EQ(problem.cluster.devices[3].memoryBytes, 5e9);
    int between = 0;
    for (const Link& link : problem.cluster.links)
        if (link.kind == "rdma") {
            EXPECT_EQ(link.bandwidthBps, 1e9);
            ++between;
        }
    EXPECT_EQ(between, 4);
    std::string plain = text;
    plain.replace(plain.find(R"("scale": {"outputs": 2})"), 23, R"("scale": {"outputs": 1})");
    const Problem unscaled = Grid(readExperiment(plain, "e.json", {})).problem(0);
    EXPECT_EQ(problem.profile.layers[3].outputBytes, 2 * unscaled.profile.layers[3].outputBytes);
    EXPECT_EQ(problem.profile.layers[3].storedActivationBytes,
              unscaled.profile.layers[3].storedActivationBytes);
}

struct Mistake {
    std::string from, to;  ///< in the small experiment's text
    std::string place, says;
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.place << " " << mistake.to; }

class ExperimentMistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(ExperimentMistakes, AreNamedWithTheirPlace) {
    const std::string claims = R"([{"text": "t", "kind": "change", "planner": "SPP", "along": "microbatches",
                                    "from": 2, "to": 8, "at_most": 1}])";
    std::string text = smallExperiment(R"([
        {"name": "microbatches", "pointer": "/setup/microbatches", "range": {"from": 2, "to": 8, "factor": 2}},
        {"name": "network", "pointer": "/cluster/links/0/bandwidth_Bps", "values": [1e9, 4e9]}])",
                                       claims);
    ASSERT_NE(text.find(GetParam().from), std::string::npos);
    text.replace(text.find(GetParam().from), GetParam().from.size(), GetParam().to);
    try {
        Grid(readExperiment(text, "e.json", {})).problem(0);
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_EQ(error.place(), GetParam().place) << error.what();
        EXPECT_NE(std::string(error.what()).find(GetParam().says), std::string::npos) << error.what();
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, ExperimentMistakes,
    ::testing::Values(
        Mistake{"/setup/microbatches", "/setup/microbatch", "/base/setup/microbatch",
                "did you mean 'microbatches'"},
        Mistake{"/setup/microbatches", "/setups/microbatches", "/axes/0/pointer", "did you mean 'setup'"},
        Mistake{R"("base")", R"("bas")", "/bas", "did you mean 'base'"},
        Mistake{R"("factor": 2)", R"("factor": 1)", "/axes/0/range/factor", "above 1"},
        Mistake{R"("name": "network")", R"("name": "microbatches")", "/axes/1", "a second axis"},
        Mistake{"[1e9, 4e9]", "[]", "/axes/1/values", "0 values"},
        Mistake{"[1e9, 4e9]", "[1e9, 1e9]", "/axes/1/values", "two values"},
        Mistake{"[1e9, 4e9]", R"(["x"])", "/base/cluster/links/0/bandwidth_Bps", "a number"},
        Mistake{R"("spp")", R"("sp")", "/planners/0", "did you mean 'spp'"},
        Mistake{R"("planner": "gpipe")", R"("planner": "gpipe", "parameters": {"stages": 2})",
                "/planners/1/parameters/stages", "max_stages"},
        Mistake{R"("label": "GPipe")", R"("label": "SPP")", "/planners/1", "a second planner"},
        Mistake{R"("from": 2, "to": 8, "at_most")", R"("from": 3, "to": 8, "at_most")", "/claims/0/from",
                "no value 3"},
        Mistake{R"("along": "microbatches")", R"("along": "microbatch")", "/claims/0/along", "microbatches"},
        Mistake{R"(, "at_most": 1})", "}", "/claims/0", "no bound"},
        Mistake{R"("kind": "change", "planner": "SPP")", R"("kind": "change", "planner": "SPS")",
                "/claims/0/planner", "did you mean 'SPP'"},
        Mistake{R"("microbatches": 4)", R"("microbatches": 4, "mod": 1)", "/base/setup/mod",
                "did you mean 'mode'"}));

}  // namespace
}  // namespace stagecraft
