#include "core/formats/timeline_csv.h"
#include "examples.h"

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace stagecraft {
namespace {

double anySize() {
    const double value = std::fabs(*rc::gen::arbitrary<double>());
    return std::isfinite(value) ? value : 0.1;
}
double anyPositive() { return std::max(anySize(), 1e-300); }
int below(int limit) { return *rc::gen::inRange(0, limit); }
bool coin() { return below(2) == 1; }
std::string anyText() {
    return *rc::gen::element<std::string>("", "a", "x/y~z", "quote \" and \\", "ä…\n", "\x01",
                                          "ReLU(inplace)");
}

LayerProfile anyProfile(int minimumLayers = 0) {
    LayerProfile profile;
    profile.name = anyText();
    profile.source = anyText();
    profile.microbatchSize = 1 + below(1000);
    const int layers = minimumLayers + below(6);
    for (int i = 0; i < layers; ++i) {
        Layer layer{anyText(), anySize(), anySize(), anySize(), anySize(), anySize(), anySize(), 0};
        layer.weightGradientS = layer.backwardS / (1 + below(3));
        profile.layers.push_back(layer);
    }
    if (coin())
        for (int from = 0; from < layers; ++from)
            for (int to = from + 1; to < layers; ++to)
                if (coin()) profile.edges.push_back({from, to});
    if (profile.isChain()) profile.edges.clear();
    return profile;
}

Cluster anyCluster() {
    Cluster cluster;
    cluster.name = anyText();
    const int devices = 1 + below(5);
    for (int i = 0; i < devices; ++i)
        cluster.devices.push_back(
            {"g/" + std::to_string(i), anyText(), anyText(), anySize(), anyPositive(), anySize()});
    for (int i = below(3); i > 0; --i) cluster.switches.push_back({"sw" + std::to_string(i), anyText()});
    for (int i = 1; i < devices; ++i)
        cluster.links.push_back({"g/0", "g/" + std::to_string(i), anyPositive(), anySize(), anyText()});
    if (coin()) cluster.layout["g/0"] = {-anySize(), anySize()};
    return cluster;
}

TrainingSetup anySetup() {
    TrainingSetup setup;
    setup.microbatches = 1 + below(64);
    setup.mode = *rc::gen::element(TrainingMode::synchronous, TrainingMode::asynchronous);
    setup.optimizer = *rc::gen::element(Optimizer::sgd, Optimizer::momentum, Optimizer::adam);
    setup.channel =
        *rc::gen::element(ChannelMode::fullDuplex, ChannelMode::halfDuplex, ChannelMode::halfDuplexFifo);
    if (coin()) setup.memoryLimitBytes = anyPositive();
    setup.allreduceOverlaps = coin();
    return setup;
}

Schedule anySchedule(const Plan& plan) {
    Schedule schedule;
    schedule.splitBackward = coin();
    switch (below(3)) {
        case 0: schedule.order = PolicySchedule{anyText(), {{anyText(), -anySize()}}}; break;
        case 1: {
            ExplicitSchedule orders;
            for (int stage = 0; stage < plan.stageCount(); ++stage)
                for (const int device : plan.stages[std::size_t(stage)].devices)
                    for (int i = below(4); i >= 0; --i)
                        orders.orders[device].push_back({static_cast<TaskKind>(below(4)), stage, below(100)});
            schedule.order = orders;
            break;
        }
        default: {
            PeriodicSchedule pattern{anyPositive(), {}};
            for (int i = below(5); i > 0; --i)
                pattern.operations.push_back(
                    {static_cast<PatternKind>(below(4)), below(plan.stageCount()), anySize(), below(9)});
            schedule.order = pattern;
        }
    }
    return schedule;
}

Plan anyPlan(const Problem& problem) {
    Plan plan;
    plan.planner = anyText();
    plan.name = anyText();
    for (int i = below(3); i > 0; --i) plan.parameters[anyText()] = anyText();
    const int stages = 1 + below(4);
    for (int i = 0; i < stages; ++i) {
        Stage stage;
        stage.firstLayer = below(problem.profile.layerCount());
        stage.lastLayer = stage.firstLayer + below(problem.profile.layerCount() - stage.firstLayer);
        std::set<int> devices = {below(problem.cluster.deviceCount()), below(problem.cluster.deviceCount())};
        stage.devices.assign(devices.begin(), devices.end());
        stage.pipeline = below(3);
        stage.replication = coin() ? Replication::split : Replication::roundRobin;
        plan.stages.push_back(stage);
        plan.weights.versions.push_back(1 + below(4));
    }
    if (coin()) plan.weights.versions.clear();
    plan.weights.kind = static_cast<WeightPolicyKind>(below(5));
    for (int layer = 0; layer < problem.profile.layerCount(); ++layer)
        if (coin()) plan.memory.layers[layer] = coin() ? LayerMemory::recompute : LayerMemory::swap;
    plan.memory.claimsToFit = coin();
    plan.memory.reserveBuffers = coin();
    plan.schedule = anySchedule(plan);
    return plan;
}

TEST(RoundTrip, EveryProfileAndClusterReadsBackTheSame) {
    EXPECT_TRUE(rc::check([] {
        const LayerProfile profile = anyProfile();
        RC_ASSERT(readProfile(writeProfile(profile), "FILE") == profile);
        const Cluster cluster = anyCluster();
        RC_ASSERT(readCluster(writeCluster(cluster), "FILE") == cluster);
    }));
}

TEST(RoundTrip, EveryPlanAndProjectReadsBackTheSame) {
    EXPECT_TRUE(rc::check([] {
        PlanFile file;
        file.problem = {anyProfile(1), anyCluster(), anySetup()};
        file.plan = anyPlan(file.problem);
        RC_ASSERT(readPlan(writePlan(file), "FILE", ".") == file);

        Project project;
        project.name = anyText();
        project.problem = file.problem;
        for (int i = below(3); i > 0; --i) project.plans.push_back(anyPlan(project.problem));
        RC_ASSERT(readProject(writeProject(project), "FILE", ".") == project);
    }));
}

TEST(RoundTrip, WritingTwiceGivesTheSameBytes) {
    const Project project = examples::read<Project>(examples::project());
    EXPECT_EQ(writeProject(project), writeProject(readProject(writeProject(project), "FILE", ".")));
}

TEST(RoundTrip, DefaultsAreResolvedWhenAProfileIsRead) {
    const LayerProfile profile = examples::read<LayerProfile>(examples::profile());
    EXPECT_TRUE(profile.edges.empty());
    EXPECT_EQ(profile.layers[1].outputGradientBytes, 8);
    EXPECT_EQ(profile.layers[0].storedActivationBytes, 0) << "the first layer has no predecessor";
    EXPECT_EQ(profile.layers[1].storedActivationBytes, 8);
    EXPECT_EQ(profile.layers[1].weightGradientS, 0.75);
}

TEST(RoundTrip, StoredActivationsDefaultToTheSumOverAllPredecessors) {
    examples::json file = examples::profile();
    file["edges"] = examples::json::parse("[[0, 1], [0, 2], [1, 2]]");
    EXPECT_EQ(examples::read<LayerProfile>(file).layers[2].storedActivationBytes, 16);
}

TEST(RoundTrip, AChainThatIsSpelledOutIsAChain) {
    examples::json file = examples::profile();
    file["edges"] = examples::json::parse("[[0, 1], [1, 2]]");
    EXPECT_EQ(examples::read<LayerProfile>(file), examples::read<LayerProfile>(examples::profile()));
}

TEST(RoundTrip, FilesAreWrittenForPeopleToo) {
    const std::string text = writeCluster(examples::read<Cluster>(examples::cluster()));
    EXPECT_NE(text.find("\n    { \"a\": \"g0\", \"b\": \"sw\", \"bandwidth_Bps\": 10, \"latency_s\": 0, "
                        "\"kind\": \"\" },\n"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.back(), '\n');
}

TEST(RoundTrip, ANumberThatIsNotFiniteIsNotWritten) {
    LayerProfile profile = examples::read<LayerProfile>(examples::profile());
    profile.layers[0].forwardS = std::nan("");
    EXPECT_THROW(writeProfile(profile), InputError);
}

TEST(TimelineCsv, HasARowForEachBlockWithQuotedIds) {
    Cluster cluster;
    cluster.devices = {{"g,0", "s"}, {"g1", "s"}};
    Timeline timeline;
    timeline.resize(2);
    timeline.lanes = {Lane{.kind = LaneKind::compute, .devices = {0, 1}, .firstBlock = 0, .endBlock = 1},
                      Lane{.kind = LaneKind::allReduce, .devices = {1}, .firstBlock = 1, .endBlock = 2}};
    timeline.endS = {0.1, 0.25};
    timeline.startS = {0, 0.1};
    timeline.kind = {BlockKind::backward, BlockKind::allReduce};
    timeline.microbatch = {3, -1};
    timeline.waitedFor = {noBlock, 0};
    timeline.waitReason = {WaitReason::start, WaitReason::data};
    EXPECT_EQ(
        writeTimelineCsv(timeline, cluster),
        "row,lane,lane_kind,devices,kind,stage,microbatch,iteration,start_s,end_s,waited_for,wait_reason\n"
        "0,0,compute,\"g,0 g1\",backward,0,3,0,0,0.1,,start\n"
        "1,1,allreduce,g1,AllReduce,0,,0,0.1,0.25,0,data\n");
}

}  // namespace
}  // namespace stagecraft
