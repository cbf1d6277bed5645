#include "core/model/model_names.h"
#include "core/formats/files/kept_figure_json.h"
#include "core/base/number_range.h"
#include "tests/support/every_room.h"
#include "core/formats/traces/timeline_csv.h"
#include "core/graph/grouping.h"
#include "examples.h"

#include <gtest/gtest.h>

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace stagecraft {
namespace {

double anySize() {
    const double value = std::fabs(*rc::gen::arbitrary<double>());
    constexpr double largest = 1e24;
    return value <= largest ? value : 0.1;
}
double anyPositive() { return std::max(anySize(), 1e-300); }
double anyRate() { return std::max(anySize(), leastRate); }
int below(int limit) { return *rc::gen::inRange(0, limit); }
bool coin() { return below(2) == 1; }
std::string anyText() {
    return *rc::gen::element<std::string>("", "a", "x/y~z", "quote \" and \\", "ä…\n", "\x01",
                                          "ReLU(inplace)");
}

/// Nodes that make up the layers one after the other, some left out between them, and edges among them.
NetworkGraph anyOperators(int layers) {
    NetworkGraph graph;
    const auto addNode = [&](int layer) {
        Layer node{anyText(), anySize(), anySize(), anySize(), anySize(), 0, 0, 0};
        node.outputGradientBytes = coin() ? node.outputBytes : anySize();
        node.weightGradientS = coin() ? node.backwardS / 2 : 0;
        graph.nodes.push_back(node);
        graph.layerOf.push_back(layer);
    };
    for (int layer = 0; layer < layers; ++layer) {
        if (below(4) == 0) addNode(-1);
        for (int i = below(3); i >= 0; --i) addNode(layer);
    }
    for (int from = 0; from < static_cast<int>(graph.nodes.size()); ++from)
        for (int to = from + 1; to < static_cast<int>(graph.nodes.size()); ++to)
            if (below(3) == 0) graph.edges.push_back({from, to});
    const std::vector<double> inputs = inputBytes(graph.nodes, graph.edges);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        graph.nodes[i].storedActivationBytes = coin() && std::isfinite(inputs[i]) ? inputs[i] : anySize();
    return graph;
}

void addParts(Layer& layer) {
    layer.storedParts = {{ActivationCause::input, layer.storedActivationBytes / 4},
                         {ActivationCause::logSumExp, 0},
                         {ActivationCause::other, layer.storedActivationBytes * 0.75}};
    layer.scoresRecomputeS = layer.forwardS / 2;
    layer.expertParameterBytes = layer.parameterBytes / 8;
}

std::vector<RankMeasurement> anyOnRanks() {
    std::vector<RankMeasurement> all;
    for (int degree = 2; degree < 5; ++degree)
        for (const bool sequenceParallel : {false, true})
            for (const int size : {1, 4}) {
                RankMeasurement measured{
                    .tensor = degree, .sequenceParallel = sequenceParallel, .microbatchSize = size};
                const double backward = anySize();
                if (coin()) measured.times = LayerTimes{anySize(), backward, backward / (1 + below(3))};
                if (coin()) measured.parameterBytes = anySize();
                if (coin()) measured.storedActivationBytes = anySize();
                if (measured.times || measured.parameterBytes || measured.storedActivationBytes)
                    all.push_back(measured);
            }
    for (const char* gpu : {"A100", "V100"})
        for (const int degree : {1, 2})
            if (coin()) {
                const double backward = anySize();
                all.push_back({.tensor = degree,
                               .sequenceParallel = degree > 1 && coin(),
                               .microbatchSize = 1 + below(8),
                               .times = LayerTimes{anySize(), backward, backward / 2},
                               .gpu = gpu});
            }
    return all;
}

TimesAtSize anyTimes(int size, int layers) {
    TimesAtSize times{size, {}};
    for (int i = 0; i < layers; ++i) {
        const double backward = anySize();
        times.layers.push_back({anySize(), backward, backward / (1 + below(3))});
    }
    return times;
}

LayerProfile anyProfile(int minimumLayers = 0) {
    LayerProfile profile;
    profile.name = anyText();
    profile.source = anyText();
    profile.microbatchSize = 1 + below(1000);
    if (coin()) profile.peakFlops = 1.5 + below(1000);
    const int layers = minimumLayers + below(6);
    for (int i = 0; i < layers; ++i) {
        Layer layer{anyText(), anySize(), anySize(), anySize(), anySize(), anySize(), anySize(), 0};
        layer.weightGradientS = layer.backwardS / (1 + below(3));
        if (coin()) layer.weightGradientBytes = anySize();
        if (coin()) addParts(layer);
        if (coin()) layer.flops = anySize();
        if (layer.expertParameterBytes == 0 && coin()) layer.onRanks = anyOnRanks();
        profile.layers.push_back(layer);
    }
    if (coin())
        for (int from = 0; from < layers; ++from)
            for (int to = from + 1; to < layers; ++to)
                if (coin()) profile.edges.push_back({from, to});
    if (profile.isChain()) profile.edges.clear();
    for (int size = 1 + below(20); size < 40 && coin(); size += 1 + below(20))
        if (size != profile.microbatchSize) profile.otherSizes.push_back(anyTimes(size, layers));
    if (layers > 0 && coin()) profile.operators = anyOperators(layers);
    if (coin()) profile.causalSequence = coin();
    if (coin()) profile.elementBytes = 1 + below(8);
    return profile;
}

Cluster anyCluster() {
    Cluster cluster;
    cluster.name = anyText();
    const int devices = 1 + below(5);
    for (int i = 0; i < devices; ++i)
        cluster.devices.push_back({"g/" + std::to_string(i), anyText(), anyText(), anySize(), anyRate(),
                                   coin() ? 0 : anyRate(), coin() ? 0 : anySize()});
    for (int i = below(3); i > 0; --i) cluster.switches.push_back({"sw" + std::to_string(i), anyText()});
    for (int i = 1; i < devices; ++i)
        cluster.links.push_back({"g/0", "g/" + std::to_string(i), anyRate(), anySize(), anyText()});
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
    if (coin()) setup.network = LinkSharing::shared;
    return setup;
}

/// A task, or a pair.
void addTasks(std::vector<Task>& order, int stage) {
    order.push_back({static_cast<TaskKind>(below(taskKindCount)), stage, below(100)});
    if (order.back().kind == TaskKind::forward && coin())
        order.push_back({TaskKind::backward, stage, below(100), true});
}

Schedule anySchedule(const Plan& plan) {
    Schedule schedule;
    schedule.splitBackward = coin();
    switch (below(3)) {
        case 0:
            schedule.order = FamilySchedule{anyText(), {{anyText(), -anySize()}}};
            break;
        case 1: {
            ExplicitSchedule orders;
            schedule.splitBackward = false;  // each task says it
            if (coin()) orders.pairTimes.share = anyPositive();
            if (coin()) orders.pairTimes.byForwardS.assign(std::size_t(plan.stageCount()), anyPositive());
            for (int stage = 0; stage < plan.stageCount(); ++stage)
                for (const int device : plan.stages[std::size_t(stage)].devices)
                    for (int i = below(4); i >= 0; --i) addTasks(orders.orders[device], stage);
            schedule.order = orders;
            break;
        }
        default: {
            PeriodicSchedule pattern{anyPositive(), {}};
            for (int i = below(5); i > 0; --i)
                pattern.operations.push_back(
                    {patternKindNames[below(4)].value, below(plan.stageCount()), anySize(), below(9)});
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
    if (coin()) plan.planner = coin() ? "spp" : "gpipe";  // whose claims are known where files lack them
    plan.claims = {coin(), coin(), coin()};
    plan.memory.reserveBuffers = coin();
    plan.schedule = anySchedule(plan);
    if (coin()) plan.miniBatch.microbatches = 1 + below(4);
    if (plan.miniBatch.microbatches > 0 && coin()) plan.miniBatch.microbatchSize = 1 + below(9);
    plan.miniBatch.barrier = coin();
    return plan;
}

std::string anyHash() {
    std::string text;
    for (int i = 0; i < 32; ++i) text += "0123456789abcdef"[below(16)];
    return text;
}

Attempt anyAttempt() {
    Attempt attempt{below(9), anySize(), anySize(), {}, coin(), {}, anyText()};
    if (coin()) attempt.objectiveS = std::numeric_limits<double>::infinity();
    for (int i = below(3); i > 0; --i)
        attempt.partition.push_back(
            {i, i + below(5), {below(9)}, below(2), coin() ? Replication::split : Replication::roundRobin});
    if (coin()) attempt.memory.layers[below(99)] = coin() ? LayerMemory::recompute : LayerMemory::swap;
    attempt.fits = coin();
    attempt.memory.reserveBuffers = coin();
    return attempt;
}

TriedSchedule anyTried() {
    TriedSchedule tried{anyText(), anyText(), 1 + below(4), below(9), coin()};
    if (coin()) {
        tried.leftOut = "not tried: " + anyText();
        return tried;
    }
    tried.iterationTimeS = anySize();
    tried.peakBytes = anySize();
    tried.lackingBytes = coin() ? 0 : anyPositive();
    tried.chosen = coin();
    return tried;
}

PlanOrigin anyOrigin() {
    PlanOrigin origin;
    if (coin()) origin.plannedFor = ProblemHash{anyHash(), anyHash(), anyHash(), anyHash()};
    if (coin()) return origin;
    PlannerReport report;
    if (coin()) report.predictedS = anySize();
    for (int i = below(3); i > 0; --i)
        report.guarantees.push_back({anyText(), anySize(), anySize(), anyText(), coin()});
    for (int i = below(3); i > 0; --i) report.attempts.push_back(anyAttempt());
    for (int i = below(3); i > 0; --i) report.tried.push_back(anyTried());
    for (int i = below(3); i > 0; --i) report.rounds.push_back(anyAttempt());
    for (int i = below(3); i > 0; --i) report.notes.push_back(anyText());
    for (int i = below(3); i > 0; --i) report.deviceOrder.push_back(below(9));
    if (coin()) report.planningTimeS = anyPositive();
    origin.report = report;
    return origin;
}

std::vector<ChartNote> anyNotes() {
    std::vector<ChartNote> notes;
    for (int i = below(3); i > 0; --i) {
        ChartNote note{anySize(), {}, anyText(), anyText()};
        if (coin()) note.untilS = 2 * note.atS + 1;
        if (coin())
            note.block =
                BlockName{static_cast<BlockKind>(below(blockKindCount)), below(5), below(9) - 1, below(3)};
        notes.push_back(note);
    }
    return notes;
}

std::optional<std::vector<ChartNote>> anyMarks() {
    if (coin()) return std::nullopt;
    return anyNotes();
}

std::string anyName() { return "n" + anyText(); }

std::vector<KeptFigure> anyFigures() {
    std::vector<KeptFigure> figures;
    for (int i = below(3); i > 0; --i) {
        KeptFigure figure{std::to_string(i) + anyText(), anyText(), anyText()};
        if (figure.plan.empty()) figure.recording = anyText();
        for (int panel = below(3); panel > 0; --panel)
            figure.panels.push_back({anyName(), anyText(), anyMarks()});
        if (const double from = anySize(); coin()) figure.timeS = {from, 2 * from + 1};
        figure.steady = coin();
        for (int lane = below(3); lane > 0; --lane) figure.lanes.push_back(below(9));
        figure.memoryDevice = anyText();
        if (coin()) figure.link = {anyText(), anyText()};
        figure.reference = anyText();
        figure.marks = anyMarks();
        if (coin()) figure.published = {{anyName(), anyText()}};
        figure.format = anyText();
        if (coin()) figure.style = keptStyle(R"({"width_mm": 84, "axis": "blocks", "grey": true})", "FILE");
        figures.push_back(std::move(figure));
    }
    return figures;
}

std::vector<RecordedFiles> anyRecordings() {
    std::vector<RecordedFiles> recordings;
    for (int i = below(3); i > 0; --i) {
        RecordedFiles files;
        for (int file = 1 + below(3); file > 0; --file) files.files.push_back(anyName());
        files.notes = anyNotes();
        recordings.push_back(std::move(files));
    }
    return recordings;
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
        file.origin = anyOrigin();
        RC_ASSERT(readPlan(writePlan(file), "FILE", ".") == file);

        Project project;
        project.name = anyText();
        project.problem = file.problem;
        for (int i = below(3); i > 0; --i) project.plans.push_back(anyPlan(project.problem));
        for (std::size_t i = 0; i < project.plans.size(); ++i) project.notes.push_back(anyNotes());
        const auto none = [](const std::vector<ChartNote>& notes) { return notes.empty(); };
        if (std::all_of(project.notes.begin(), project.notes.end(), none)) project.notes.clear();
        for (std::size_t i = 0; i < project.plans.size(); ++i) project.origins.push_back(anyOrigin());
        const auto unknown = [](const PlanOrigin& origin) { return origin == PlanOrigin{}; };
        if (std::all_of(project.origins.begin(), project.origins.end(), unknown)) project.origins.clear();
        for (int i = below(3); i > 0; --i)
            project.planless.push_back({anyText(),
                                        {{anyText(), anyText()}},
                                        coin() ? PlanStatus::infeasible : PlanStatus::failed,
                                        anyText(),
                                        anyOrigin()});
        project.figures = anyFigures();
        project.recordings = anyRecordings();
        RC_ASSERT(readProject(writeProject(project), "FILE", ".") == project);
    }));
}

TEST(RoundTrip, WritingTwiceGivesTheSameBytes) {
    const Project project = examples::read<Project>(examples::project());
    EXPECT_EQ(writeProject(project), writeProject(readProject(writeProject(project), "FILE", ".")));
}

TEST(RoundTrip, APlanWithoutClaimsHasThoseThatItsPlannerHadBeforeFilesHeldThem) {
    const auto claimsOf = [](const char* planner, const char* claims) {
        examples::json file = examples::project();
        examples::json& plan = file["plans"][0];
        plan["planner"] = planner;
        plan.erase("claims");
        if (claims) plan["claims"] = examples::json::parse(claims);
        PlanClaims read = examples::read<Project>(file).plans[0].claims;
        read.fitsMemory = false;  // with the memory policy, of each plan
        return read;
    };
    EXPECT_EQ(claimsOf("spp", nullptr), (PlanClaims{.oneStagePerDevice = true, .usesEveryDevice = true}));
    EXPECT_EQ(claimsOf("data-parallel", nullptr), PlanClaims{.usesEveryDevice = true});
    for (const char* planner : {"gpipe", "pipedream", "hetpipe", "dapple"})
        EXPECT_EQ(claimsOf(planner, nullptr), PlanClaims{.oneStagePerDevice = true}) << planner;
    for (const char* planner : {"xpipe", "vpipe", "madpipe", "schedule", "hand", "a program", ""})
        EXPECT_EQ(claimsOf(planner, nullptr), PlanClaims{}) << planner;
    EXPECT_EQ(claimsOf("spp", "{}"), PlanClaims{});
    EXPECT_EQ(claimsOf("a program", R"({"uses_every_device": true})"), PlanClaims{.usesEveryDevice = true});
}

TEST(RoundTrip, ClaimsThatFollowFromThePlannerAreNotWritten) {
    Project project = examples::read<Project>(examples::project());
    Plan& plan = project.plans[0];
    plan.planner = "spp";
    plan.claims = {.oneStagePerDevice = true, .usesEveryDevice = true};
    EXPECT_EQ(writeProject(project).find("\"claims\""), std::string::npos);
    plan.claims.usesEveryDevice = false;
    EXPECT_NE(writeProject(project).find("\"claims\""), std::string::npos);
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

TEST(RoundTrip, StoredActivationsDefaultToTheSumOfTheirParts) {
    examples::json file = examples::profile();
    file["layers"][1].erase("stored_activation_bytes");
    file["layers"][1]["stored_parts"] = {{"scores", 3}, {"input", 4}};
    const Layer layer = examples::read<LayerProfile>(file).layers[1];
    EXPECT_EQ(layer.storedActivationBytes, 7);
    EXPECT_EQ(layer.storedParts,
              (std::vector<StoredPart>{{ActivationCause::input, 4}, {ActivationCause::scores, 3}}));
}

TEST(RoundTrip, WhatALayerDoesNotSayIsNotWritten) {
    const std::string text = writeProfile(examples::read<LayerProfile>(examples::profile()));
    for (const char* field :
         {"stored_parts", "scores_recompute_s", "expert_parameter_bytes", "flops", "peak_flops_per_s"})
        EXPECT_EQ(text.find(field), std::string::npos) << field;
}

TEST(RoundTrip, TimesAtOtherSizesAreSortedAndKeepTheShareOfTheWeightGradient) {
    examples::json file = examples::profile();
    file["other_sizes"] = examples::json::parse(R"([
        {"microbatch_size": 9, "forward_s": [1, 2, 3], "backward_s": [4, 5, 6], "weight_gradient_s": [1, 0, 6]},
        {"microbatch_size": 1, "forward_s": [1, 2, 3], "backward_s": [4, 5, 6]}])");
    file["layers"][0]["backward_s"] = 1;
    file["layers"][0]["weight_gradient_s"] = 0.25;
    const LayerProfile profile = examples::read<LayerProfile>(file);
    ASSERT_EQ(profile.otherSizes.size(), 2u);
    EXPECT_EQ(profile.otherSizes[0].microbatchSize, 1);
    EXPECT_EQ(profile.otherSizes[0].layers[0], (LayerTimes{1, 4, 1}));
    EXPECT_EQ(profile.otherSizes[1].layers[2], (LayerTimes{3, 6, 6}));
}

TEST(RoundTrip, OperatorsThatNoLongerDescribeTheLayersAreNotWritten) {
    LayerProfile profile = examples::read<LayerProfile>(examples::profile());
    profile.operators.nodes.assign(2, Layer{});
    profile.operators.layerOf = {0, 1};
    EXPECT_TRUE(readProfile(writeProfile(profile), "FILE").operators.nodes.empty());
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
    const std::vector<std::uint32_t> inputs = {0, 7};
    EXPECT_EQ(
        writeTimelineCsv(timeline, cluster,
                         [&](std::uint32_t block) { return std::span(inputs).subspan(0, block * 2); }),
        "row,lane,lane_kind,devices,kind,stage,microbatch,iteration,start_s,end_s,waited_for,wait_reason,"
        "depends_on\n"
        "0,0,compute,\"g,0 g1\",backward,0,3,0,0,0.1,,start,\n"
        "1,1,allreduce,g1,AllReduce,0,,0,0.1,0.25,0,data,0 7\n");
}

}  // namespace
}  // namespace stagecraft
