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
#include "tests/support/every_room.h"
#include "tests/support/test_extent.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
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

/// The stages of a layout by Megatron-LM's rules, written anew (pipeline_parallel_layer_layout.py): commas
/// are dropped, brackets and then letters repeated, "|" parts stages.
std::vector<std::string> megatronStages(std::string layout) {
    std::erase(layout, ',');
    std::smatch found;
    while (std::regex_search(layout, found, std::regex(R"(\(([^()]*)\)\*(\d+))"))) {
        std::string many;
        for (int i = 0; i < std::stoi(found[2]); ++i) many += found[1];
        layout = found.prefix().str() + many + found.suffix().str();
    }
    while (std::regex_search(layout, found, std::regex(R"((.)\*(\d+))")))
        layout = found.prefix().str() + std::string(std::stoul(found[2]), found[1].str()[0]) +
                 found.suffix().str();
    std::vector<std::string> stages(1);
    for (const char letter : layout)
        if (letter == '|')
            stages.emplace_back();
        else
            stages.back() += letter;
    return stages;
}

RC_GTEST_PROP(EngineFiles, MegatronsArgumentsAreThePlanAndItsStages, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const int chunks = 1 + static_cast<int>(random() % 3), predictions = static_cast<int>(random() % 2);
    const Case own = randomCase(random, chunks > 1 ? "interleaved" : "1f1b", chunks, predictions);
    const std::string script = own.files(megatronEngine()).front().text;
    expectSame(own, readBack(script, own));
    std::smatch found;
    RC_ASSERT(std::regex_search(script, found, std::regex("--pipeline-model-parallel-layout \"([^\"]*)\"")));
    const std::vector<std::string> stages = megatronStages(found[1]);
    RC_ASSERT(stages.size() == own.plan.stages.size());
    RC_ASSERT(stages.front()[0] == 'E' && stages.back().back() == 'L');
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        RC_ASSERT(std::ssize(stages[stage]) == own.plan.stages[stage].layerCount());
        RC_ASSERT(std::ranges::count(stages[stage], 'm') == (stage + 1 == stages.size() ? predictions : 0));
    }
    RC_ASSERT(!::testing::Test::HasFailure());
}

RC_GTEST_PROP(EngineFiles, DeepSpeedsPartitionIsThePlans, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const Case own = randomCase(random, "1f1b", 1);
    expectSame(own, readBack(own.files(deepSpeedEngine()).front().text, own));
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
    for (const auto& [id, devices] : written.items())
        found.insert(devices.get<std::vector<int>>());
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
