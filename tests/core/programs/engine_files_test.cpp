// What is written for engines: read back it is the same plan, and by the engine's own rules it has its
// stages.
#include "core/editing/plan_edit.h"
#include "core/formats/configurations/configuration_formats.h"
#include "core/formats/orders/pipelining_csv.h"
#include "core/formats/recordings/import.h"
#include "core/model/vocabulary.h"
#include "core/planners/planned_run.h"
#include "core/programs/configured_layers.h"
#include "core/programs/configured_plan.h"
#include "core/programs/engine_files.h"
#include "core/runs/plan_run.h"
#include "core/schedules/families.h"
#include "core/schedules/family_parameters.h"
#include "core/schedules/schedule_shape.h"
#include "tests/core/support/megatron_layout.h"
#include "tests/support/every_room.h"
#include "tests/support/test_extent.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <regex>
#include <set>

namespace stagecraft {
namespace {

/// An embedding, blocks, some layers of multi-token prediction and a head.
LayerProfile decoder(int blocks, int predictions) {
    LayerProfile profile;
    profile.name = "Decoder";
    profile.elementBytes = 2;
    profile.divisible.heads = profile.divisible.tokens = 8;
    const auto add = [&profile](const std::string& name) {
        profile.layers.push_back({name, 1e-3, 2e-3, 1e6, 1e5, 1e5, 1e5, 1e-3});
        profile.layers.back().division.emplace();
    };
    add("embedding");
    for (int i = 0; i < blocks; ++i) add("block " + std::to_string(i));
    for (int i = 0; i < predictions; ++i) add("prediction " + std::to_string(i));
    add("head");
    return profile;
}

Cluster clusterOf(int devices) {
    Cluster cluster;
    for (int i = 0; i < devices; ++i) {
        cluster.devices.push_back({"g" + std::to_string(i), "s" + std::to_string(i / 8), "", 1e12, 1, 1e10});
        if (i > 0) cluster.links.push_back({"g0", "g" + std::to_string(i), 1e10, 0, ""});
    }
    return cluster;
}

struct Case {
    Problem problem;
    Plan plan;
    PlanRun run() const {
        PlanRun made = evaluatePlan(std::make_shared<const CostModel>(problem), plan);
        if (!made.ok()) throw std::runtime_error(made.result.reason);
        return made;
    }
    Plan ordered() const { return editing::spelledOut(plan, run().evaluation->timeline); }
    std::vector<EngineFile> files(const EngineFormat& engine) const {
        const PlanRun own = run();
        const Plan spelled = editing::spelledOut(plan, own.evaluation->timeline);
        return engine.write({own, spelled});
    }
};

/// Random cuts of stages that lie as the family has them, on devices in the order of their numbers.
Case randomCase(std::mt19937& random, const std::string& familyId, int chunks, int predictions = 0) {
    const ScheduleFamily& family = *findScheduleFamily(familyId);
    const auto upTo = [&random](int most) {
        return 1 + static_cast<int>(random() % static_cast<unsigned>(most));
    };
    const int ranks = 1 + upTo(3), copies = upTo(2), stages = ranks * chunks;
    Case made;
    Group group;
    group.tensor = upTo(2);
    made.problem.profile = decoder(stages + upTo(3 * stages), predictions);
    made.problem.profile.microbatchSize = copies * upTo(3);
    made.problem.cluster = clusterOf(ranks * copies * group.tensor);
    TrainingSetup& setup = made.problem.setup;
    setup.microbatches = ranks * (1 + upTo(3));
    setup.optimizer = Optimizer::adam;
    setup.precision = StatePrecision::mixed;
    setup.gradients = GradientPrecision::single;
    setup.zero = copies > 1 && random() % 2 ? ZeroStage::optimizer : ZeroStage::off;
    setup.tensor = group.tensor;
    std::set<int> begins;
    // Predictions and head are in the last stage.
    const int free = made.problem.profile.layerCount() - predictions - 1;
    while (std::ssize(begins) < stages - 1) begins.insert(upTo(free - 1));
    std::vector<int> bounds(begins.begin(), begins.end());
    bounds.insert(bounds.begin(), 0);
    bounds.push_back(made.problem.profile.layerCount());
    for (int stage = 0; stage < stages; ++stage) {
        Stage own{.firstLayer = bounds[static_cast<std::size_t>(stage)],
                  .lastLayer = bounds[static_cast<std::size_t>(stage) + 1] - 1};
        const int rank = expectedRank(stage, ranks, chunks == 1 ? Placement::ring : family.placement);
        for (int device = 0; device < copies * group.tensor; ++device)
            own.devices.push_back(rank * copies * group.tensor + device);
        own.group = group;
        made.plan.stages.push_back(own);
    }
    made.plan.planner = "hand";
    made.plan.schedule.order = withUsualSaid(FamilySchedule{familyId, {}});
    made.plan.schedule.splitBackward =
        family.backward == BackwardTasks::split || family.backward == BackwardTasks::mixed;
    if (random() % 2)
        for (int layer = 1; layer + 1 + predictions < made.problem.profile.layerCount(); ++layer)
            made.plan.memory.layers[layer] = LayerMemory::checkpoint;
    return made;
}

/// A configuration beside the model and on the machines of the case.
ConfiguredPlan readBack(const std::string& text, const Case& from) {
    const Configuration configuration = readConfiguration(text, "F");
    const ConfiguredLayout layout = layoutOn(configuration, from.problem.cluster.deviceCount(), "F");
    EXPECT_EQ(layout.microbatchSize, from.problem.profile.microbatchSize);
    return configuredPlan(configuration, layout, from.problem.profile, from.problem.cluster, "F");
}

void expectSame(const Case& from, const ConfiguredPlan& read) {
    EXPECT_EQ(read.plan.stages, from.plan.stages);
    EXPECT_EQ(read.plan.schedule, from.plan.schedule);
    EXPECT_EQ(read.plan.memory, from.plan.memory);
    EXPECT_EQ(read.problem.setup.microbatches, from.problem.setup.microbatches);
    EXPECT_EQ(read.problem.setup.zero, from.problem.setup.zero);
    EXPECT_EQ(read.problem.setup.precision, from.problem.setup.precision);
    EXPECT_EQ(read.problem.setup.gradients, from.problem.setup.gradients);
    EXPECT_EQ(read.problem.setup.optimizer, from.problem.setup.optimizer);
    for (const ConfigurationItem& item : read.items) EXPECT_NE(item.kind, ItemKind::unknown) << item.argument;
}

std::string refusalOf(const EngineFormat& engine, const Case& of) {
    try {
        of.files(engine);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return {};
}

/// The stages of a script's layout by Megatron-LM's rule; nothing where it refuses them.
std::vector<std::string> megatronStages(const std::string& script, int ranks) {
    std::smatch found;
    if (!std::regex_search(script, found, std::regex("--pipeline-model-parallel-layout \"([^\"]*)\"")))
        return {};
    const MegatronLayout layout = megatronLayout(found[1], ranks);
    EXPECT_EQ(layout.objection, "") << found[1];
    return layout.objection.empty() ? layout.stages : std::vector<std::string>();
}

RC_GTEST_PROP(EngineFiles, MegatronsArgumentsAreThePlanAndItsStages, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const int chunks = 1 + static_cast<int>(random() % 3), predictions = static_cast<int>(random() % 2);
    const Case own = randomCase(random, chunks > 1 ? "interleaved" : "1f1b", chunks, predictions);
    const std::string script = own.files(megatronEngine()).front().text;
    expectSame(own, readBack(script, own));
    const std::vector<std::string> stages =
        megatronStages(script, static_cast<int>(own.plan.stages.size()) / chunks);
    RC_ASSERT(stages.size() == own.plan.stages.size());
    RC_ASSERT(stages.front()[0] == 'E' && stages.back().back() == 'L');
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        RC_ASSERT(std::ssize(stages[stage]) == own.plan.stages[stage].layerCount());
        RC_ASSERT(std::ranges::count(stages[stage], 'm') == (stage + 1 == stages.size() ? predictions : 0));
    }
    RC_ASSERT(!::testing::Test::HasFailure());
}

/// What stages hold, from letters of Megatron-LM's: "Ett" and "".
std::vector<StageContent> contentsOf(const std::vector<std::string>& stages) {
    std::vector<StageContent> contents;
    for (const std::string& stage : stages)
        contents.push_back({.embedding = stage.starts_with('E'),
                            .blocks = static_cast<int>(std::ranges::count(stage, 't')),
                            .predictions = static_cast<int>(std::ranges::count(stage, 'm')),
                            .head = stage.ends_with('L')});
    return contents;
}

/// "Ett||tmL" on two ranks as a configuration, read beside a model of so many layers.
Case layoutCase(const std::string& layout, int ranks, int microbatches = 4, const std::string& more = {}) {
    Case made;
    made.problem.profile = decoder(static_cast<int>(std::ranges::count(layout, 't')),
                                   static_cast<int>(std::ranges::count(layout, 'm')));
    made.problem.cluster = clusterOf(ranks);
    const std::string text = "--micro-batch-size 1 --bf16 --global-batch-size " +
                             std::to_string(microbatches) + " --pipeline-model-parallel-size " +
                             std::to_string(ranks) + " --pipeline-model-parallel-layout \"" + layout + "\" " +
                             more;
    const Configuration configuration = readConfiguration(text, "F");
    const ConfiguredPlan read = configuredPlan(configuration, layoutOn(configuration, ranks, "F"),
                                               made.problem.profile, made.problem.cluster, "F");
    made.problem = read.problem;
    made.plan = read.plan;
    return made;
}

// Text to plan to text: the same layers on the same stages, of which some are empty; and from the text,
// beside the model with or without layers for them, the same plan.
RC_GTEST_PROP(EngineFiles, LayoutsWithEmptyStagesComeBack, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const int ranks = 2 + static_cast<int>(random() % 3), chunks = 1 + static_cast<int>(random() % 3);
    std::vector<std::string> stages(static_cast<std::size_t>(ranks * chunks));
    for (std::string& stage : stages) stage.assign(random() % 2 ? random() % 5 : 0, 't');
    const std::size_t last = stages.size() - 1 - random() % static_cast<unsigned>(ranks);
    if (random() % 2 && std::all_of(stages.begin() + static_cast<std::ptrdiff_t>(last) + 1, stages.end(),
                                    [](const std::string& stage) { return stage.empty(); }))
        stages[last] += std::string(1 + random() % 2, 'm');
    stages.front().insert(0, "E");
    stages.back() += "L";
    std::string layout;
    for (const std::string& stage : stages) layout += "|" + stage;
    const char* const memories[] = {"", "--recompute-granularity full --recompute-method uniform",
                                    "--recompute-granularity full --recompute-method block"};
    const Case own = layoutCase(layout.substr(1), ranks, 2 * ranks, memories[random() % 3]);
    RC_ASSERT(own.plan.stages.size() == stages.size());
    const std::string script = own.files(megatronEngine()).front().text;
    RC_ASSERT(megatronStages(script, ranks) == stages);
    expectSame(own, readBack(script, own));
    Case plain = own;
    plain.problem.profile = withoutEmptyStages(own.problem.profile);
    const ConfiguredPlan read = readBack(script, plain);
    expectSame(own, read);
    RC_ASSERT(read.problem.profile == own.problem.profile);
    RC_ASSERT(withEmptyStages(plain.problem.profile, contentsOf(stages)) == own.problem.profile);
    RC_ASSERT(!::testing::Test::HasFailure());
}

double sentSecondsOf(const PlanRun& run) {
    const Timeline& timeline = run.evaluation->timeline;
    double seconds = 0;
    for (std::uint32_t block = 0; block < timeline.kind.size(); ++block)
        if (timeline.kind[block] == BlockKind::transferForward ||
            timeline.kind[block] == BlockKind::transferBackward)
            seconds += timeline.durationS(block);
    return seconds;
}

/// An empty stage hands on what comes in: two transfers in the place of one, and a pass of no time between
/// them.
TEST(EngineFiles, AnEmptyStageTakesNoTimeAndHandsOnWhatComesIn) {
    const Case full = layoutCase("Ett|ttL", 2), empty = layoutCase("Ett||ttL", 3);
    EXPECT_EQ(empty.problem.profile.layerCount(), full.problem.profile.layerCount() + 1);
    EXPECT_EQ(empty.problem.profile.parameterCount(), full.problem.profile.parameterCount());
    const PlanRun run = empty.run();
    const Timeline& timeline = run.evaluation->timeline;
    std::vector<double> passes;
    for (std::uint32_t block = 0; block < timeline.kind.size(); ++block)
        if (isPass(timeline.kind[block]) && timeline.stage[block] == 1)
            passes.push_back(timeline.durationS(block));
    EXPECT_EQ(passes, std::vector<double>(8, 0.0));
    const double sentS = sentSecondsOf(full.run());
    EXPECT_GT(sentS, 0);
    EXPECT_NEAR(sentSecondsOf(run), 2 * sentS, 1e-12);
    for (const EngineFormat& engine : {torchtitanEngine(), deepSpeedEngine()}) {
        const std::string why = refusalOf(engine, empty);
        EXPECT_NE(why.find("stage 1 holds no layer"), std::string::npos) << why;
    }
}

TEST(EngineFiles, MegatronIsToldOfPredictionsInOneLastStageAlone) {
    Case own = layoutCase("Ett|tt|mmL|", 2);
    EXPECT_EQ(refusalOf(megatronEngine(), own), "");
    own.plan.stages[2].lastLayer = 5;
    own.plan.stages[3].firstLayer = 6;
    EXPECT_EQ(refusalOf(megatronEngine(), own),
              "the plan has layers of multi-token prediction in stage 2 and in stage 3; Megatron-LM has all "
              "of them "
              "in one stage");
    own = layoutCase("Ett|tt|m|L", 2);
    own.problem.profile = withEmptyStages(decoder(4, 1), contentsOf({"Ett", "ttm", "", "L"}));
    const int lasts[] = {2, 5, 6, 7};
    for (int stage = 0; stage < 4; ++stage) {
        Stage& of = own.plan.stages[static_cast<std::size_t>(stage)];
        of.firstLayer = stage == 0 ? 0 : lasts[stage - 1] + 1;
        of.lastLayer = lasts[stage];
    }
    EXPECT_EQ(refusalOf(megatronEngine(), own),
              "the plan has layers of multi-token prediction in stage 1, which is not the last of its rank; "
              "Megatron-LM has them in one of the stages 2 to 3");
}

/// The bounds of all partitions by DeepSpeed's methods, stated anew: partition_uniform, and of all cuts those
/// that partition_balanced's loop keeps (runtime/utils.py; runtime/pipe/module.py, _partition_layers).
std::vector<int> speedBounds(const std::string& method, const LayerProfile& profile, int parts) {
    const int layers = profile.layerCount();
    std::vector<double> weights;
    for (int layer = 0; layer < layers; ++layer) {
        const bool isEnd = layer == 0 || layer == layers - 1;
        const bool isMatched = method.find(isEnd ? "embedding" : "transformer") != std::string::npos;
        weights.push_back(method == "parameters"
                              ? profile.layers[static_cast<std::size_t>(layer)].parameterBytes
                              : isMatched);
    }
    std::vector<int> bounds;
    if (method == "uniform" || layers <= parts) {
        for (int part = 0; part <= parts; ++part)
            bounds.push_back(part * (layers / parts) + std::min(part, layers % parts));
        return bounds;
    }
    struct Kept {
        double most = 0, least = std::numeric_limits<double>::infinity(),
               cost = std::numeric_limits<double>::infinity();
        int begin = 0;
    };
    std::vector<std::vector<Kept>> kept(static_cast<std::size_t>(layers) + 1,
                                        std::vector<Kept>(static_cast<std::size_t>(parts) + 1));
    const auto of = [&kept](int end, int part) -> Kept& {
        return kept[static_cast<std::size_t>(end)][static_cast<std::size_t>(part)];
    };
    of(0, 0).cost = 0;
    for (int end = 1; end <= layers; ++end)
        for (int part = 1; part <= std::min(end, parts); ++part)
            for (int begin = part - 1; begin < end; ++begin) {
                if (std::isinf(of(begin, part - 1).cost)) continue;
                const double sum = std::accumulate(weights.begin() + begin, weights.begin() + end, 0.0);
                const double most = std::max(of(begin, part - 1).most, sum),
                             least = std::min(of(begin, part - 1).least, sum);
                if (of(end, part).cost >= most - least) of(end, part) = {most, least, most - least, begin};
            }
    bounds = {layers};
    for (int part = parts; part > 0; --part) bounds.push_back(of(bounds.back(), part).begin);
    std::ranges::reverse(bounds);
    return bounds;
}

void setBounds(Plan& plan, const std::vector<int>& bounds) {
    for (std::size_t stage = 0; stage < plan.stages.size(); ++stage) {
        plan.stages[stage].firstLayer = bounds[stage];
        plan.stages[stage].lastLayer = bounds[stage + 1] - 1;
    }
}

// A method is stated where one gives the plan's stages, and then it does; where none does it is said. Read
// with the method alone the plan is the same.
RC_GTEST_PROP(EngineFiles, DeepSpeedsPartitionIsThePlans, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Case own = randomCase(random, "1f1b", 1);
    for (Layer& layer : own.problem.profile.layers)
        layer.parameterBytes = 1e6 * static_cast<double>(random() % 20);
    const int parts = own.plan.stageCount();
    const char* const methods[] = {"uniform", "parameters", "type:transformer", "type:transformer|embedding",
                                   "type:embedding"};
    if (random() % 2) setBounds(own.plan, speedBounds(methods[random() % 5], own.problem.profile, parts));
    std::vector<int> bounds{0};
    for (const Stage& stage : own.plan.stages) bounds.push_back(stage.lastLayer + 1);
    const std::vector<EngineFile> files = own.files(deepSpeedEngine());
    expectSame(own, readBack(files.front().text, own));
    nlohmann::json written = nlohmann::json::parse(files.front().text);
    nlohmann::json& pipeline = written["pipeline"];
    const bool isSaid = pipeline.contains("partition_method");
    RC_ASSERT(isSaid == std::ranges::any_of(methods, [&](const char* method) {
                  return speedBounds(method, own.problem.profile, parts) == bounds;
              }));
    RC_ASSERT(isSaid == (files.back().text.find("No `partition_method`") == std::string::npos));
    if (isSaid) {
        const std::string method = pipeline["partition_method"];
        RC_TAG(method);
        RC_ASSERT(speedBounds(method, own.problem.profile, parts) == bounds);
        pipeline.erase("parts");
        expectSame(own, readBack(written.dump(), own));
    }
    RC_ASSERT(!::testing::Test::HasFailure());
}

RC_GTEST_PROP(EngineFiles, TorchtitansJobAndOrderAreThePlan, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const char* const families[] = {"1f1b", "gpipe", "interleaved", "interleaved-zb",
                                    "zb-v", "zb-h1", "zb-h2"};
    const std::string family = families[random() % std::size(families)];
    const bool isSeveral = findScheduleFamily(family)->placement != Placement::onePerRank;
    Case own = randomCase(random, family, isSeveral ? 2 : 1);
    for (Stage& stage : own.plan.stages) stage.group.sequenceParallel = stage.group.tensor > 1;
    const std::vector<EngineFile> files = own.files(torchtitanEngine());
    const ConfiguredPlan read = readBack(files.front().text, own);
    if (files[1].name == "order.csv") {
        Plan one = own.ordered();
        for (Stage& stage : one.stages) stage.devices.resize(1);
        RC_ASSERT(readPipeliningCsv(files[1].text, "order.csv") == rankOrders(one));
        RC_ASSERT(family == "zb-h1" || family == "zb-h2");
        RC_ASSERT(read.plan.stages == own.plan.stages);
    } else {
        expectSame(own, read);
    }
    RC_ASSERT(!::testing::Test::HasFailure());
}

TEST(EngineFiles, WhatAnEngineCannotBeToldIsRefusedWithTheReason) {
    std::mt19937 random(3);
    const Case zeroBubble = randomCase(random, "zb-v", 2);
    EXPECT_NE(refusalOf(megatronEngine(), zeroBubble).find("Megatron-LM has it on rank"), std::string::npos);
    EXPECT_NE(refusalOf(deepSpeedEngine(), zeroBubble).find("DeepSpeed has one on each"), std::string::npos);
    EXPECT_EQ(refusalOf(megatronEngine(), randomCase(random, "zb-h1", 1)),
              "the plan's schedule is 'zb-h1'; Megatron-LM runs 1F1B with one stage on each rank, and "
              "interleaved 1F1B with several");
    EXPECT_EQ(refusalOf(deepSpeedEngine(), randomCase(random, "gpipe", 1)),
              "the plan's schedule is 'gpipe'; DeepSpeed's pipeline runs 1F1B");
    Case old = randomCase(random, "1f1b", 1);
    old.plan.memory.layers = {{1, LayerMemory::swap}};
    EXPECT_EQ(refusalOf(torchtitanEngine(), old), "the plan swaps layer 1 to the host's memory");
    Case uneven = randomCase(random, "1f1b", 1);
    uneven.problem.cluster = clusterOf(16);
    uneven.plan.stages.back().devices = {14, 15, 13, 12, 11};
    uneven.plan.stages.back().group = uneven.plan.stages.front().group = {};
    EXPECT_NE(refusalOf(megatronEngine(), uneven).find("Megatron-LM has as many for each"),
              std::string::npos);
}

// Chakra's reader takes the passes from it; what is sent and summed is told in the words of its feeder.
void expectChakraIsTheChart(std::uint32_t seed) {
    std::mt19937 random(seed);
    const char* const families[] = {"1f1b", "interleaved", "zb-v", "zb-h1"};
    const std::string family = families[random() % std::size(families)];
    const bool isSeveral = findScheduleFamily(family)->placement != Placement::onePerRank;
    const Case own = randomCase(random, family, isSeveral ? 2 : 1);
    const PlanRun run = own.run();
    const Timeline& planned = run.evaluation->timeline;
    const std::vector<EngineFile> files = own.files(chakraEngine());
    ASSERT_TRUE(std::ssize(files) == own.problem.cluster.deviceCount() + 2);
    std::string folder = (std::filesystem::temp_directory_path() / "stagecraft-engine-XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    writeEngineFiles(files, folder);
    std::vector<std::filesystem::path> traces;
    for (int device = 0; device < own.problem.cluster.deviceCount(); ++device)
        traces.push_back(std::filesystem::path(folder) / ("plan." + std::to_string(device) + ".et"));
    const Recording read = readRecording(traces);
    std::filesystem::remove_all(folder);
    for (int device = 0; device < own.problem.cluster.deviceCount(); ++device) {
        const Lane& from = planned.lanes[static_cast<std::size_t>(planned.computeLaneOf(device))];
        const Lane& to = read.timeline.lanes[static_cast<std::size_t>(read.timeline.computeLaneOf(device))];
        std::uint32_t next = to.firstBlock;
        for (std::uint32_t block = from.firstBlock; block < from.endBlock; ++block) {
            if (!isPass(planned.kind[block])) continue;
            ASSERT_TRUE(next < to.endBlock);
            ASSERT_TRUE(read.timeline.kind[next] == planned.kind[block]);
            ASSERT_TRUE(read.timeline.stage[next] == planned.stage[block]);
            ASSERT_TRUE(read.timeline.microbatch[next] == planned.microbatch[block]);
            ASSERT_TRUE(std::abs(read.timeline.durationS(next) - planned.durationS(block)) < 2e-6);
            ++next;
        }
        ASSERT_TRUE(next == to.endBlock);
    }
}

TEST(EngineFiles, ChakrasTracesAreTheChart) {
    for (std::uint32_t seed = 1; seed <= (testing::inFull() ? 60u : 4u); ++seed) expectChakraIsTheChart(seed);
}

/// Each copy has its own devices to share words out among, and those of a stage sum up their gradients.
TEST(EngineFiles, ChakrasGroupsOfASharedVocabularyAreThoseOfItsCopies) {
    Case own;
    own.problem.profile = decoder(4, 0);
    setVocabularyLayers(own.problem.profile, VocabularyEnds::both);
    own.problem.profile.microbatchSize = 2;
    own.problem.cluster = clusterOf(4);
    own.problem.setup.microbatches = 4;
    own.plan.stages = {{0, 2, {0, 2}}, {3, 5, {3, 1}}};
    own.plan.schedule.order = FamilySchedule{"vocab-1", {}};
    const std::vector<EngineFile> files = own.files(chakraEngine());
    const auto groups =
        std::ranges::find_if(files, [](const EngineFile& file) { return file.name == "groups.json"; });
    ASSERT_NE(groups, files.end());
    std::set<std::vector<int>> found;
    const nlohmann::json written = nlohmann::json::parse(groups->text);
    for (const auto& [id, devices] : written.items()) found.insert(devices.get<std::vector<int>>());
    EXPECT_EQ(found, (std::set<std::vector<int>>{{0, 2}, {0, 3}, {1, 2}, {1, 3}}));
}

TEST(EngineFiles, EachHasAReadmeThatSaysHowToStart) {
    std::mt19937 random(5);
    Case own = randomCase(random, "1f1b", 1);
    while (own.plan.stages.front().group.tensor > 1) own = randomCase(random, "1f1b", 1);
    for (const EngineFormat& engine : engineFormats()) {
        const EngineFile readme = own.files(engine).back();
        EXPECT_EQ(readme.name, "README.md") << engine.id;
        EXPECT_NE(readme.text.find("Start it"), std::string::npos) << readme.text;
        const auto lines = std::ranges::count(readme.text, '\n');
        EXPECT_GE(lines, 8) << engine.id;
        EXPECT_LE(lines, 12) << engine.id;
    }
}

}  // namespace
}  // namespace stagecraft
