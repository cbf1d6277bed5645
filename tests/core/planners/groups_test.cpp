// Stages whose devices divide their layers, planned, simulated and validated.
#include "core/planners/planning_goal.h"
#include "core/model/vocabulary.h"
#include "core/analysis/inside_pass.h"
#include "core/cost/inside_steps.h"
#include "core/analysis/what_bounds.h"
#include "core/cost/divided_profile.h"
#include "core/formats/files/project_file.h"
#include "core/formats/native/formats.h"
#include "core/generation/analytic_profile.h"
#include "core/generation/gpu_catalogue.h"
#include "core/generation/transformer_network.h"
#include "core/memory/block_bytes.h"
#include "core/model/indivisible.h"
#include "core/planners/grouped_problem.h"
#include "core/planners/memory_outlook.h"
#include "core/planners/planned_run.h"
#include "core/simulation/simulator.h"
#include "core/validation/validator.h"
#include "tests/core/generation/case_models.h"
#include "tests/core/support/golden_cases.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace stagecraft {
namespace {

using nlohmann::json;

/// So many devices that are all joined by links of that width.
Cluster evenCluster(int devices, double bandwidthBps, int perServer) {
    Cluster cluster;
    cluster.switches.push_back({"switch", ""});
    for (int device = 0; device < devices; ++device) {
        const std::string id = "g" + std::to_string(device);
        cluster.devices.push_back({id, "s" + std::to_string(device / perServer), "", 1e15, 1, 1e10});
        cluster.links.push_back({id, "switch", bandwidthBps, 0, ""});
    }
    return cluster;
}

/// The stage of a golden case by itself, on as many devices as its group has.
struct GroupedStage {
    explicit GroupedStage(const char* id) : golden(testing::goldenCase(id)) {
        const json &setup = golden.input.at("setup"), &stage = golden.input.at("stage");
        const bool fused = setup.at("fused_attention");
        const NetworkDescription network =
            transformerNetwork(testing::modelOfCase(golden.input.at("model")),
                               {.sequenceLength = setup.at("s"),
                                .attention = fused ? AttentionKernel::fused : AttentionKernel::stored});
        AnalyticOptions options;
        options.precision = Precision::bf16;
        options.microbatchSize = setup.at("b");
        problem.profile = analyticProfile(network, *findGpu("H100-SXM5-80GB"), options);
        const int blocks = problem.profile.layerCount();
        std::vector<Layer> own;
        const std::size_t first = stage.at("layers")[0], last = stage.at("layers")[1];
        if (stage.at("embedding")) own.push_back(problem.profile.layers.front());
        for (std::size_t block = first; block <= last; ++block)
            own.push_back(problem.profile.layers[block + 1]);
        if (stage.at("head")) own.push_back(problem.profile.layers[static_cast<std::size_t>(blocks) - 1]);
        problem.profile.layers = own;
        problem.profile.operators = {};
        const Group group{setup.at("t"), setup.at("c"), setup.at("e"), setup.at("sp")};
        const int devices = group.ranksOfCopy() * setup.at("d").get<int>();
        problem.cluster = evenCluster(devices, 1e9, 8);
        problem.setup.microbatches = setup.at("microbatches");
        problem.setup.optimizer = Optimizer::adam;
        problem.setup.precision = StatePrecision::mixed;
        problem.setup.gradients = setup.at("precision") == "mixed-adam-fp32-gradients"
                                      ? GradientPrecision::single
                                      : GradientPrecision::half;
        problem.setup.zero = static_cast<ZeroStage>(setup.at("zero").get<int>());
        // A microbatch of the reference is that of one copy.
        problem.profile = profileAtSize(problem.profile, options.microbatchSize * setup.at("d").get<int>());
        plan.stages = {{0, problem.profile.layerCount() - 1, {}}};
        plan.stages[0].group = group;
        for (int device = 0; device < devices; ++device) plan.stages[0].devices.push_back(device);
        plan.schedule.order = FamilySchedule{"gpipe", {}};
        const std::string recompute = setup.at("recompute");
        if (recompute != "none")
            for (int layer = 0; layer < problem.profile.layerCount(); ++layer)
                plan.memory.layers[layer] =
                    recompute == "full" ? LayerMemory::checkpoint : LayerMemory::selective;
    }

    testing::GoldenCase golden;
    Problem problem;
    Plan plan;
};

const char* const parCases[] = {"par-02-gpt-22b-tensor",   "par-03-gpt-175b-sequence-selective",
                                "par-04-gpt-530b-full",    "par-05a-llama2-7b-zero0",
                                "par-05d-llama2-7b-zero3", "par-06-llama3-8b-context",
                                "par-07-llama3-70b-3d",    "par-08-llama3-405b-4d",
                                "par-09-mixtral-expert",   "par-10-deepseek-v3"};

}  // namespace

/// States, and what copies send to stay alike, as the plan's own blocks have them.
TEST(Groups, StatesAndWhatCopiesSendAreThoseOfTheReference) {
    for (const char* id : parCases) {
        SCOPED_TRACE(id);
        const GroupedStage it(id);
        const auto run = planners::evaluatePlan(std::make_shared<const CostModel>(it.problem), it.plan);
        ASSERT_TRUE(run.ok()) << run.result.reason;
        EXPECT_TRUE(run.evaluation->valid());
        const json& bytes = it.golden.expected.at("bytes");
        const auto held = [&](MemoryKind kind) {
            return run.evaluation->memory.front().bytes()[static_cast<std::size_t>(kind)].front();
        };
        const auto near = [](double found, const json& expected) {
            EXPECT_NEAR(found, expected.get<double>(), 1e-9 * expected.get<double>());
        };
        near(held(MemoryKind::parameters), bytes.at("weights"));
        near(held(MemoryKind::gradients), bytes.at("gradients"));
        near(held(MemoryKind::masterWeights) + held(MemoryKind::optimizerState), bytes.at("optimizer"));
        const Timeline& timeline = run.evaluation->timeline;
        const BlockBytes blockBytes(*run.costs, it.plan, stageEdges(*run.costs, it.plan));
        std::map<BlockKind, double> sent;
        for (std::uint32_t block = 0; block < timeline.blockCount(); ++block)
            sent[timeline.kind[block]] += blockBytes.of(timeline, timeline.laneOf(block), block);
        const json& expected = it.golden.expected.at("sent_data_parallel");
        near(sent[BlockKind::allReduce] + sent[BlockKind::reduceScatter], expected.at("gradients"));
        near(sent[BlockKind::allGather], expected.at("weights"));
    }
}

/// Of one microbatch, and what ranks send within their group for each layer.
TEST(Groups, ActivationsAndWhatRanksSendAreThoseOfTheReference) {
    for (const char* id : parCases) {
        SCOPED_TRACE(id);
        const GroupedStage it(id);
        const Group& group = it.plan.stages[0].group;
        const int copies = static_cast<int>(it.plan.stages[0].devices.size()) / group.ranksOfCopy();
        const json& stage = it.golden.input.at("stage");
        const CostModel costs(it.problem);
        double kept = 0;
        for (int layer = stage.at("embedding") ? 1 : 0;
             layer < costs.layerCount() - (stage.at("head") ? 1 : 0); ++layer)
            kept += costs.keptBytes(layer, it.plan.layerMemory(layer), group) / copies;
        const double alive =
            stage.at("chunks_in_flight").get<double>() / stage.at("chunks_per_rank").get<double>();
        const double expected = it.golden.expected.at("bytes").at("activations_layers").get<double>() / alive;
        EXPECT_NEAR(kept, expected, 1e-6 * expected);
        for (const auto& [kind, sent] : it.golden.expected.at("sent_per_layer").items()) {
            const bool isMixture = kind == "moe";
            for (int layer = stage.at("embedding") ? 1 : 0;
                 layer < costs.layerCount() - (stage.at("head") ? 1 : 0); ++layer) {
                const Layer& own = it.problem.profile.layers[static_cast<std::size_t>(layer)];
                if ((own.expertParameterBytes > 0) != isMixture) continue;
                SentInside inside = sentInside(own, group);
                const auto near = [&](double bytes, const json& reference) {
                    EXPECT_NEAR(bytes / copies, reference.get<double>(), 1e-9 * reference.get<double>())
                        << kind;
                };
                const json &forward = sent.at("forward"), &backward = sent.at("backward");
                near(inside.tensorForward, forward.at("tensor"));
                near(inside.contextForward, forward.at("context"));
                near(inside.expert, forward.at("expert"));
                near(inside.tensorBackward,
                     backward.at("tensor").get<double>() + backward.value("tensor_regather", 0.0));
                near(inside.contextBackward, backward.at("context"));
                near(inside.expert, backward.at("expert"));
            }
        }
    }
}

/// Two ranks, of a layer half of which tensor parallelism divides: by hand.
TEST(Groups, TimesOfAStageAreWhatItsRanksComputeAndSend) {
    Problem problem;
    Layer layer{"block", 8, 16, 100, 40, 40, 64, 4};
    layer.storedParts = {{ActivationCause::attention, 48}, {ActivationCause::norm, 16}};
    layer.division = LayerDivision{.forwardShare = 0.5,
                                   .backwardShare = 0.25,
                                   .weightGradientShare = 1,
                                   .parameterShare = 0.8,
                                   .weightGradientBytesShare = 0,
                                   .stored = {{ActivationCause::attention, 40}},
                                   .entryBytes = 30,
                                   .exitBytes = 50};
    problem.profile.layers = {layer};
    problem.profile.divisible = {2, 2, 0};
    problem.cluster = evenCluster(2, 10, 2);
    Plan plan;
    plan.stages = {{0, 0, {0, 1}}};
    plan.stages[0].group.tensor = 2;
    const CostModel costs(problem);
    // 4 + 2 seconds, and an AllReduce of 50 bytes: each of two sends 50 at 10 a second.
    EXPECT_DOUBLE_EQ(costs.stage(plan, 0).forwardS, 6 + 5);
    EXPECT_DOUBLE_EQ(costs.stage(plan, 0).backwardS, 12 + 2 + 3);
    EXPECT_DOUBLE_EQ(costs.stage(plan, 0).weightGradientS, 2);
    EXPECT_DOUBLE_EQ(costs.parameterBytes(0, 0, plan.stages[0].group), 40 + 20);
    EXPECT_DOUBLE_EQ(costs.keptBytes(0, LayerMemory::keep, plan.stages[0].group), 20 + 24);
    EXPECT_TRUE(costs.dataParallelGroups(plan).empty());
    // Half of it is hidden; and forward no more than is computed.
    problem.setup.insideOverlap = 0.5;
    EXPECT_DOUBLE_EQ(CostModel(problem).stage(plan, 0).forwardS, 6 + 2.5);
    EXPECT_DOUBLE_EQ(CostModel(problem).stage(plan, 0).backwardS, 14 + 1.5);
    problem.setup.insideOverlap = 1;
    for (Link& link : problem.cluster.links) link.bandwidthBps = 5;
    EXPECT_DOUBLE_EQ(CostModel(problem).stage(plan, 0).forwardS, 6 + 10 - 6);
    EXPECT_DOUBLE_EQ(CostModel(problem).stage(plan, 0).backwardS, 14);
    plan.stages[0].group.sequenceParallel = true;
    // Half of everything; 80 bytes gathered and scattered, and backward 30 gathered again.
    EXPECT_DOUBLE_EQ(costs.stage(plan, 0).forwardS, 4 + 4);
    EXPECT_DOUBLE_EQ(costs.stage(plan, 0).backwardS, 8 + 5.5);
    EXPECT_DOUBLE_EQ(costs.keptBytes(0, LayerMemory::keep, plan.stages[0].group), 32);
}

/// Two GPUs with half of a microbatch each. Of 8 seconds forward experts have half, of 16 backward a fourth;
/// of 80 bytes each sends half of its half. By hand.
TEST(Groups, TheBusiestExpertRankHasSoManyTimesTheMean) {
    Problem problem;
    Layer layer{"block", 8, 16, 40, 40, 40, 64, 4};
    layer.expertParameterBytes = 40;
    layer.weightGradientBytes = 32;
    layer.storedParts = {{ActivationCause::mlp, 48}, {ActivationCause::norm, 16}};
    layer.division = LayerDivision{.routedBytes = 80,
                                   .expertForwardShare = 0.5,
                                   .expertBackwardShare = 0.25,
                                   .expertWeightGradientShare = 1,
                                   .expertWeightGradientBytesShare = 0.5,
                                   .expertStoredBytes = 24};
    problem.profile.layers = {layer};
    problem.profile.divisible = {2, 2, 2};
    problem.cluster = evenCluster(2, 10, 2);
    problem.setup.microbatches = 3;
    Plan plan;
    plan.stages = {{0, 0, {0, 1}}};
    plan.stages[0].group.expert = 2;
    const Group& group = plan.stages[0].group;
    const auto check = [&](double imbalance, double forward, double backward, double weightGradient,
                           double kept, double deferred) {
        problem.setup.expertImbalance = imbalance;
        const CostModel costs(problem);
        const StageCost cost = costs.stage(plan, 0);
        EXPECT_DOUBLE_EQ(cost.forwardS, forward) << imbalance;
        EXPECT_DOUBLE_EQ(cost.backwardS, backward) << imbalance;
        EXPECT_DOUBLE_EQ(cost.weightGradientS, weightGradient) << imbalance;
        EXPECT_DOUBLE_EQ(costs.keptBytes(0, LayerMemory::keep, group), kept) << imbalance;
        EXPECT_DOUBLE_EQ(costs.keptForWeightGradient(0, 0, group), deferred) << imbalance;
        EXPECT_TRUE(validate(problem, plan, simulate(costs, plan)).empty()) << imbalance;
    };
    check(1, 4 + 2, 8 + 2, 2, 64, 32);
    check(1.5, 5 + 3, 9 + 3, 3, 76, 40);
    check(2, 6 + 4, 10 + 4, 4, 88, 48);
    check(7, 6 + 4, 10 + 4, 4, 88, 48);  // one of two cannot have more than all
    // Where each has all experts, each has its own tokens.
    plan.stages[0].group.expert = 1;
    check(2, 4, 8, 2, 64, 32);
}

/// 2 of 8 seconds are launches, on a half of which no GPU saves anything.
TEST(Groups, WhatIsFixedIsNotDivided) {
    Problem problem;
    Layer layer{"block", 8, 16, 0, 0, 0, 0, 0};
    layer.division = LayerDivision{
        .forwardShare = 0.5, .backwardShare = 0.5, .fixedForwardShare = 0.25, .fixedBackwardShare = 0.5};
    problem.profile.layers = {layer};
    problem.profile.divisible = {2, 2, 0};
    problem.cluster = evenCluster(2, 10, 2);
    Plan plan;
    plan.stages = {{0, 0, {0, 1}}};
    plan.stages[0].group.tensor = 2;
    const CostModel costs(problem);
    EXPECT_DOUBLE_EQ(costs.stage(plan, 0).forwardS, 2 + 2 + 4 / 2.0);
    EXPECT_DOUBLE_EQ(costs.stage(plan, 0).backwardS, 8 + 8 / 2.0);
    EXPECT_TRUE(validate(problem, plan, simulate(costs, plan)).empty());
}

/// Passes of 4 and 8 seconds on each of two GPUs, in either of which 40 of 80 bytes go to the other's experts
/// and back: 20 for the half of the microbatch that a GPU has, at 10 a second. By hand.
TEST(Groups, APairSendsToExpertsWhileItsOtherPassComputes) {
    Problem problem;
    Layer layer{"block", 8, 16, 40, 40, 40, 64, 4};
    layer.expertParameterBytes = 40;
    layer.division = LayerDivision{.routedBytes = 80};
    problem.profile.layers = {layer, layer};
    problem.profile.divisible = {2, 2, 2};
    problem.cluster = evenCluster(4, 10, 2);
    problem.setup.microbatches = 4;
    Plan plan;
    plan.stages = {{0, 0, {0, 1}}, {1, 1, {2, 3}}};
    for (Stage& stage : plan.stages) stage.group.expert = 2;
    const CostModel costs(problem);
    const auto pairS = [&](std::map<std::string, double> parameters) {
        plan.schedule.order = FamilySchedule{"1f1b-overlap", std::move(parameters)};
        const Timeline timeline = simulate(costs, plan);
        EXPECT_TRUE(validate(problem, plan, timeline).empty());
        // Stage 0 begins three ahead of its first backward, stage 1 one.
        EXPECT_EQ(timeline.pairs.size(), 1 + 3);
        std::set<double> lengths;
        for (const PairedBackward& pair : timeline.pairs)
            lengths.insert(std::round(1e6 * timeline.durationS(pair.block)) / 1e6);
        EXPECT_EQ(lengths.size(), 1);
        return *lengths.begin();
    };
    EXPECT_EQ(costs.stage(plan, 0).forwardS, 4 + 2);
    EXPECT_EQ(costs.stage(plan, 0).backwardS, 8 + 2);
    EXPECT_EQ(pairS({}), 16);
    EXPECT_EQ(pairS({{hiddenParameter, 1}}), 12);
    EXPECT_EQ(pairS({{hiddenParameter, 0.5}}), 14);
    EXPECT_EQ(pairS({{hiddenParameter, 1}, {overlapParameter, 0.9}}), 10.8);
    EXPECT_EQ(pairS({{hiddenParameter, 1}, {overlapParameter, 0.5}}), 10) << "as long as its backward";
    // What a pair hides is no communication of the path: only passes by themselves send, for 2 seconds each.
    plan.schedule.order = FamilySchedule{"1f1b-overlap", {{hiddenParameter, 1}}};
    const auto run = planners::evaluatePlan(std::make_shared<const CostModel>(problem), plan);
    ASSERT_TRUE(run.ok());
    int alone = 0, pairs = 0;
    const CriticalPath& path = run.evaluation->metrics.criticalPath;
    for (const std::uint32_t block : path.blocks) {
        const BlockKind kind = run.evaluation->timeline.kind[block];
        alone += kind == BlockKind::forward || kind == BlockKind::backward;
        pairs += kind == BlockKind::pair;
    }
    EXPECT_GT(pairs, 0);
    EXPECT_NEAR(path.insideS, 2 * alone, 1e-9);
    plan.schedule.order = FamilySchedule{"1f1b-overlap", {}};
    // At a tenth of the speed a pass sends for 20 seconds, of which computing hides 8 and 4.
    for (Link& link : problem.cluster.links) link.bandwidthBps = 1;
    const CostModel slow(problem);
    const Timeline timeline = simulate(slow, plan);
    EXPECT_TRUE(validate(problem, plan, timeline).empty());
    plan.schedule.order = FamilySchedule{"1f1b-overlap", {{hiddenParameter, 1}}};
    const Timeline hiding = simulate(slow, plan);
    EXPECT_TRUE(validate(problem, plan, hiding).empty());
    EXPECT_NEAR(hiding.durationS(hiding.pairs.front().block), 24 + 28 - 8 - 4, 1e-9);
}

/// A group of one device is no group: neither costs nor files change.
TEST(Groups, AGroupOfOneChangesNothing) {
    const GroupedStage it("par-07-llama3-70b-3d");
    const LayerProfile divided = dividedProfile(it.problem.profile, Group{});
    EXPECT_EQ(divided, it.problem.profile);
    Project project;
    project.problem = it.problem;
    project.plans = {it.plan};
    project.plans[0].stages[0].group = {};
    EXPECT_EQ(writeProject(project).find("\"group\""), std::string::npos);
    project.plans = {it.plan};
    const Project read = readProject(writeProject(project), "p.json", {});
    EXPECT_EQ(read.plans, project.plans);
    EXPECT_EQ(read.problem.profile, project.problem.profile);
}

/// What is planned on groups as devices takes as long on the devices themselves: where every two are joined
/// by equal links, and nothing but tensor parallelism divides (ranks of a group that have the same experts
/// sum up their gradients, which devices that are groups do not know).
RC_GTEST_PROP(Groups, PlansOnGroupsKeepTheirTimesOnTheirDevices, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const int tensor = 1 + random_problem::upTo(random, 3), groups = 1 + random_problem::upTo(random, 4);
    Problem problem = random_problem::problem(random, 1 + random_problem::upTo(random, 6), 1);
    if (random() % 2) problem = random_problem::underSetupOfToday(random, problem);
    problem.setup.reservedBytes = 0;
    random_problem::makeDivisible(random, problem.profile);
    for (Layer& layer : problem.profile.layers) layer.expertParameterBytes = 0;
    problem.cluster = evenCluster(groups * tensor, 8, tensor);
    problem.setup.tensor = tensor;
    problem.setup.sequenceParallel = tensor > 1 && random() % 2;
    problem.setup.insideOverlap = 0;     // what is hidden in a pass is not, layer by layer
    problem.setup.zeroOverlap = 0;       // to planners what groups send is computing, which hides more
    problem.setup.updateBytesPerS = 0;   // which planners do not count
    problem.setup.collectiveStartS = 0;  // copies do not share it, and planners count as if they did
    const Group group = problem.setup.group();
    if (tensor > 1 && random() % 2)
        random_problem::measureOn(random, group, problem.profile, 0, problem.profile.layerCount() - 1);
    const auto costs = std::make_shared<const CostModel>(problem);
    const planners::GroupedProblem grouped(*costs, group);
    RC_ASSERT(static_cast<int>(grouped.members().size()) == groups);
    PlanningResult result;
    result.status = PlanStatus::ok;
    result.plan = random_problem::plan(random, grouped.problem());
    std::erase_if(result.plan.memory.layers,
                  [](const auto& layer) { return layer.second == LayerMemory::swap; });
    const PlanRun before =
        planners::evaluatePlan(std::make_shared<const CostModel>(grouped.problem()), result.plan);
    RC_ASSERT(before.ok());
    if (before.iterationTimeS() == 0) return;  // all was measured to take no time
    const PlanRun after = planners::evaluatePlan(costs, grouped.onDevices(result).plan);
    RC_ASSERT(after.ok());
    RC_ASSERT(before.evaluation->valid());
    for (const Violation& violation : after.evaluation->violations) RC_FAIL(violation.message);
    RC_ASSERT(std::abs(after.iterationTimeS() / before.iterationTimeS() - 1) < 1e-9);
}

/// Every planner's plan is made of whole groups and is valid, or it says why there is none.
TEST(Groups, EveryPlannerPlansOnThem) {
    const GroupedStage it("par-05a-llama2-7b-zero0");
    Problem problem = it.problem;
    problem.cluster = evenCluster(16, 1e11, 8);
    problem.setup.tensor = 4;
    problem.setup.sequenceParallel = true;
    problem.setup.microbatches = 8;
    const auto costs = std::make_shared<const CostModel>(problem);
    int planned = 0;
    for (const auto& planner : planners::allPlanners()) {
        SCOPED_TRACE(planner->description().id);
        const PlanRun run = planners::runAndEvaluate(*planner, costs, {});
        if (!run.ok()) {
            EXPECT_FALSE(run.result.reason.empty());
            continue;
        }
        ++planned;
        EXPECT_TRUE(run.evaluation->valid()) << run.evaluation->violations.front().message;
        EXPECT_TRUE(run.result.guarantees.empty());
        for (const Stage& stage : run.result.plan.stages) {
            EXPECT_EQ(stage.group, problem.setup.group());
            EXPECT_EQ(stage.devices.size() % 4, 0u);
            for (std::size_t place = 0; place < stage.devices.size(); ++place)
                EXPECT_EQ(stage.devices[place] / 4, stage.devices[place / 4 * 4] / 4) << "within its group";
        }
    }
    EXPECT_GE(planned, 7);
}

/// GPUs that divide layers share no words out, and a schedule that does is not tried for them.
TEST(Groups, OneGoodPlanOnThemIsOfNoScheduleThatSharesWordsOut) {
    const GroupedStage it("par-05a-llama2-7b-zero0");
    Problem problem = it.problem;
    problem.cluster = evenCluster(8, 1e11, 8);
    problem.setup.microbatches = 8;
    setVocabularyLayers(problem.profile, VocabularyEnds::both);
    for (const int tensor : {1, 2}) {
        problem.setup.tensor = tensor;
        const auto costs = std::make_shared<const CostModel>(problem);
        const auto chosen = planners::plannersFor(*planners::findPlanningGoal("best"), problem.setup);
        ASSERT_EQ(chosen.size(), 1u);
        const PlanRun run = planners::runAndEvaluate(*chosen.front(), costs, {});
        ASSERT_TRUE(run.ok()) << run.result.reason;
        EXPECT_TRUE(run.evaluation->valid());
        const bool sharesWords = std::ranges::any_of(run.result.tried, [](const auto& tried) {
            return Schedule{FamilySchedule{tried.family, {}}}.sharesVocabulary();
        });
        EXPECT_EQ(sharesWords, tensor == 1);
    }
}

/// Of a block what it consists of is as long as it is, and the longest stage says so.
TEST(Groups, TheInsideOfAPassIsAsLongAsItsBlock) {
    for (const auto& [id, overlap] :
         {std::pair("par-07-llama3-70b-3d", 0.0), std::pair("par-06-llama3-8b-context", 0.0),
          std::pair("par-09-mixtral-expert", 0.0), std::pair("par-09-mixtral-expert", 0.25)}) {
        SCOPED_TRACE(id);
        GroupedStage it(id);
        it.problem.setup.insideOverlap = overlap;
        const auto run = planners::evaluatePlan(std::make_shared<const CostModel>(it.problem), it.plan);
        ASSERT_TRUE(run.ok());
        const Timeline& timeline = run.evaluation->timeline;
        for (const bool backward : {false, true}) {
            const std::vector<InsidePart> parts = insideOf(*run.costs, it.plan, 0, backward);
            ASSERT_GT(parts.size(), 1u);
            double sum = 0, hiddenS = 0;
            for (const InsidePart& part : parts) {
                EXPECT_GT(part.seconds, 0) << part.what;
                sum += part.seconds;
                hiddenS += part.hiddenS;
            }
            const double sentS = sum - parts.front().seconds + hiddenS;
            EXPECT_NEAR(hiddenS, std::min(overlap * sentS, parts.front().seconds), 1e-9 * sum);
            const BlockKind kind = backward ? BlockKind::backward : BlockKind::forward;
            EXPECT_NEAR(sum, timeline.durationS(timeline.find(kind, 0, 0, 0)), 1e-9 * sum);
        }
        // One stage, whose passes are the path.
        const CriticalPath& path = run.evaluation->metrics.criticalPath;
        double sentS = 0, allS = 0;
        for (const std::uint32_t block : path.blocks) {
            const BlockKind kind = timeline.kind[block];
            if (kind == BlockKind::forward || kind == BlockKind::backward)
                for (const InsidePart& part : insideOf(*run.costs, it.plan, 0, kind == BlockKind::backward))
                    sentS += part.bandwidthBps > 0 ? part.seconds : 0;
            allS += timeline.durationS(block);
        }
        if (it.plan.memory.layers.empty()) {
            EXPECT_NEAR(path.insideS, sentS, 1e-9 * allS);
        }
        EXPECT_GE(path.insideS, sentS * (1 - 1e-9));
        EXPECT_GT(sentS, 0);
        EXPECT_GE(path.communicationS, path.insideS);
        EXPECT_NEAR(path.computeS + path.communicationS, allS, 1e-9 * allS);
        const WhatBounds bounds = whatBounds(*run.costs, it.plan, timeline, run.evaluation->metrics);
        EXPECT_TRUE(std::ranges::any_of(bounds.reasons, [](const std::string& reason) {
            return reason.find("-parallel GPUs") != std::string::npos;
        }));
    }
}

/// Layer by layer, forwards up and backwards down, and as much of each as insideOf says.
TEST(Groups, TheStepsOfAPassAddUpToItsParts) {
    for (const auto& [id, overlap] :
         {std::pair("par-07-llama3-70b-3d", 0.5), std::pair("par-06-llama3-8b-context", 0.0),
          std::pair("par-09-mixtral-expert", 0.0), std::pair("par-09-mixtral-expert", 0.25)}) {
        SCOPED_TRACE(id);
        GroupedStage it(id);
        it.problem.setup.passOverheadS = 1e-4;
        it.problem.setup.insideOverlap = overlap;
        const CostModel costs(it.problem);
        const Stage& stage = it.plan.stages[0];
        for (const bool backward : {false, true}) {
            const std::vector<InsidePart> parts = insideOf(costs, it.plan, 0, backward);
            const StageCost cost = costs.stage(it.plan, 0);
            const double wholeS = backward ? cost.backwardS : cost.forwardS;
            const std::vector<InsideStep> steps =
                insideSteps(costs, it.plan, 0, backward ? BlockKind::backward : BlockKind::forward);
            ASSERT_GT(static_cast<int>(steps.size()), stage.lastLayer - stage.firstLayer + 1);
            double at = 0, computing = 0;
            int layer = backward ? stage.lastLayer : stage.firstLayer;
            for (const InsideStep& step : steps) {
                EXPECT_DOUBLE_EQ(step.from, at);
                EXPECT_GT(step.to, step.from);
                at = step.to;
                if (step.layer != layer) layer += backward ? -1 : 1;
                EXPECT_EQ(step.layer, layer);
                if (step.kind == InsideKind::computing) computing += step.to - step.from;
            }
            EXPECT_DOUBLE_EQ(at, 1);
            EXPECT_EQ(layer, backward ? stage.firstLayer : stage.lastLayer);
            EXPECT_NEAR(computing * wholeS, parts.front().seconds, 1e-9 * wholeS);
        }
    }
}

/// What is computed again sends again, but for scores alone.
TEST(Groups, TheStepsOfARecomputationAreOfItsLayers) {
    GroupedStage it("par-03-gpt-175b-sequence-selective");
    const int first = it.plan.stages[0].firstLayer;
    it.plan.memory.layers.clear();
    it.plan.memory.layers[first + 1] = LayerMemory::recompute;
    it.plan.memory.layers[first + 2] = LayerMemory::selective;
    const CostModel costs(it.problem);
    std::map<int, int> sends, computes;
    for (const InsideStep& step : insideSteps(costs, it.plan, 0, BlockKind::recompute))
        ++(step.kind == InsideKind::computing ? computes : sends)[step.layer];
    EXPECT_EQ(computes, (std::map<int, int>{{first + 1, 1}, {first + 2, 1}}));
    EXPECT_EQ(sends, (std::map<int, int>{{first + 1, 1}}));
    EXPECT_TRUE(insideSteps(costs, it.plan, 0, BlockKind::weightGradient).empty());
    it.plan.stages[0].group = {};
    EXPECT_TRUE(insideSteps(costs, it.plan, 0, BlockKind::forward).empty());
}

/// What no GPU could hold whole, and which layout fits, is asked of groups too.
TEST(Groups, MemoryIsForeseenForTheGroupThatPlansGet) {
    const GroupedStage it("par-07-llama3-70b-3d");
    Problem problem = it.problem;
    const double whole = planners::leastMemory(problem).layerBytes;
    problem.setup.tensor = 8;
    problem.setup.sequenceParallel = true;
    const double divided = planners::leastMemory(problem).layerBytes;
    EXPECT_GT(divided, whole / 8.1);
    EXPECT_LT(divided, whole / 7.9);
    for (Device& device : problem.cluster.devices) device.memoryBytes = 80e9;
    const planners::MemoryOutlook outlook = planners::memoryOutlook(problem);
    ASSERT_TRUE(outlook.tried);
    EXPECT_EQ(outlook.tried->copies % 8, 0);
    EXPECT_LE(outlook.tried->stages, 4) << "32 GPUs are four groups";
}

/// Planners that plan for memory are not promised experts on more GPUs than their stages get.
TEST(Groups, ExpertsArePlannedOnAsManyGpusAsStagesHave) {
    const GroupedStage it("par-09-mixtral-expert");
    Problem problem = it.problem;
    problem.cluster = evenCluster(16, 1e11, 8);
    for (Device& device : problem.cluster.devices) device.memoryBytes = 60e9;
    problem.setup.expert = 8;
    problem.setup.zero = ZeroStage::optimizer;
    problem.setup.microbatches = 8;
    const auto costs = std::make_shared<const CostModel>(problem);
    int planned = 0;
    for (const auto& planner : planners::allPlanners()) {
        SCOPED_TRACE(planner->description().id);
        const PlanRun run = planners::runAndEvaluate(*planner, costs, {});
        if (!run.ok()) continue;
        ++planned;
        for (const Violation& violation : run.evaluation->violations) ADD_FAILURE() << violation.message;
        int least = 8;
        for (const Stage& stage : run.result.plan.stages) least = std::min(least, stage.group.expert);
        for (const Stage& stage : run.result.plan.stages) EXPECT_EQ(stage.group.expert, least);
    }
    EXPECT_GE(planned, 3);
}

/// Groups that the setup cannot have stop planners, and nothing that was planned before.
TEST(Groups, ASetupThatPlannersCannotFollowLeavesPlansAsTheyAre) {
    const GroupedStage it("par-07-llama3-70b-3d");
    Problem problem = it.problem;
    problem.setup.tensor = 3;
    const auto costs = std::make_shared<const CostModel>(problem);
    EXPECT_FALSE(whyUnplannable(problem));
    EXPECT_TRUE(planners::evaluatePlan(costs, it.plan).ok());
    const PlanRun refused = planners::runAndEvaluate(*planners::findPlanner("gpipe"), costs, {});
    EXPECT_FALSE(refused.ok());
    EXPECT_NE(refused.result.reason.find("tensor parallel by 3"), std::string::npos);
    // A plan whose own layers cannot be divided says so itself.
    problem.profile.layers[2].division.reset();
    const PlanRun broken = planners::evaluatePlan(std::make_shared<const CostModel>(problem), it.plan);
    EXPECT_FALSE(broken.ok());
    EXPECT_NE(broken.result.reason.find("does not say how a group divides it"), std::string::npos);
}

/// 2 servers of 8 make 2 groups of 5, and 6 GPUs are left.
TEST(Groups, GpusThatMakeNoWholeGroupAreIdle) {
    GroupedStage it("par-05a-llama2-7b-zero0");
    Problem problem = it.problem;
    problem.profile.divisible.heads = 40;
    problem.cluster = evenCluster(16, 1e11, 8);
    problem.setup.tensor = 5;
    const planners::MemoryOutlook outlook = planners::memoryOutlook(problem);
    ASSERT_TRUE(outlook.tried);
    EXPECT_EQ(outlook.tried->copies * outlook.tried->stages, 10);
    const PlanRun run = planners::runAndEvaluate(*planners::findPlanner("gpipe"),
                                                 std::make_shared<const CostModel>(problem), {});
    ASSERT_TRUE(run.ok()) << run.result.reason;
    EXPECT_TRUE(run.evaluation->valid());
    EXPECT_TRUE(std::ranges::any_of(run.result.notes, [](const std::string& note) {
        return note == "6 devices make no whole group of 5 and are idle.";
    }));
}

TEST(Groups, WhatCannotBeDividedIsSaid) {
    const GroupedStage it("par-07-llama3-70b-3d");
    Problem problem = it.problem;
    const auto why = [&](const Group& group) {
        problem.setup.tensor = group.tensor;
        problem.setup.context = group.context;
        problem.setup.expert = group.expert;
        problem.setup.sequenceParallel = group.sequenceParallel;
        return whyNoGroups(problem).value_or("");
    };
    EXPECT_EQ(why({8, 1, 1, true}), "");
    EXPECT_NE(why({3}).find("8 heads do not come out even on 3 tensor-parallel ranks"), std::string::npos);
    EXPECT_NE(why({1, 1, 2}).find("the profile names no experts to divide"), std::string::npos);
    EXPECT_NE(why({1, 1, 1, true}).find("sequence parallelism"), std::string::npos);
    EXPECT_NE(why({8, 8}).find("groups of 64, and the cluster has 32"), std::string::npos);
    problem.profile.layers[2].division.reset();
    EXPECT_NE(why({2}).find("does not say how a group divides it"), std::string::npos);
}

}  // namespace stagecraft
