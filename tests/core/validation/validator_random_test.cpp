// Simulator and validator share no code: that one accepts what the other makes of any plan checks both.
#include "core/analysis/metrics.h"
#include "core/editing/plan_edit.h"
#include "core/memory/memory.h"
#include "core/simulation/block_graph.h"
#include "core/simulation/execution_graph.h"
#include "core/simulation/instants.h"
#include "core/simulation/simulator.h"
#include "tests/core/support/graph_of.h"
#include "tests/core/support/random_problem.h"
#include "tests/core/validation/validator_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>

namespace stagecraft {
namespace {

using random_problem::upTo;
using test::textOf;

std::vector<Violation> check(const Problem& problem, const Plan& plan, int iterations) {
    SimulationOptions options;
    options.iterations = iterations;
    return validate(problem, plan, simulate(CostModel(problem), plan, options));
}

std::vector<int> someDevices(std::mt19937& random, int devices, int most) {
    std::vector<int> all(static_cast<std::size_t>(devices));
    std::iota(all.begin(), all.end(), 0);
    std::shuffle(all.begin(), all.end(), random);
    all.resize(static_cast<std::size_t>(1 + upTo(random, std::min(most, devices) - 1)));
    return all;
}

/// Stages of random lengths for one copy of the network, on devices that other stages may hold too.
void addCopy(std::mt19937& random, const Problem& problem, int pipeline, Plan& plan) {
    for (int first = 0; first < problem.profile.layerCount();) {
        const int last = std::min(problem.profile.layerCount() - 1, first + upTo(random, 3));
        plan.stages.push_back({first, last, someDevices(random, problem.cluster.deviceCount(), 3), pipeline});
        first = last + 1;
    }
}

/// Bandwidth and latency through two switches and some direct links, so that paths compete; what crosses a
/// link at one time may share it.
void addSwitches(std::mt19937& random, Problem& problem) {
    Cluster& cluster = problem.cluster;
    if (random() % 2) problem.setup.network = LinkSharing::shared;
    cluster.links.eraseIf([&](const Link&) { return random() % 2 == 0; });
    for (const char* id : {"left", "right"}) {
        cluster.switches.push_back({id, "", random() % 2 == 0});
        for (const Device& device : cluster.devices)
            cluster.links.push_back({device.id, id, 1.0 + upTo(random, 5), 0.125 * upTo(random, 3), "pcie"});
    }
    cluster.links.push_back({"left", "right", 1.0 + upTo(random, 5), 0.125 * upTo(random, 3), "ethernet"});
}

/// Skip connections beside the chain.
void addEdges(std::mt19937& random, LayerProfile& profile) {
    profile.edges = profile.dependencies();
    for (int from = 0; from < profile.layerCount(); ++from)
        for (int to = from + 2; to < profile.layerCount(); ++to)
            if (random() % 4 == 0) profile.edges.push_back({from, to});
}

/// Where all else has room, each device's peak is what the validator lets pass, and nothing less.
void requireTightPeaks(Problem problem, const Plan& plan, const CostModel& costs, const Timeline& timeline) {
    for (const MemoryCurve& curve : memoryCurves(costs, plan, stageEdges(costs, plan), timeline)) {
        if (curve.peakBytes() <= 0) continue;
        double& limit = problem.cluster.devices[static_cast<std::size_t>(curve.device)].memoryBytes;
        limit = curve.peakBytes();
        RC_ASSERT(textOf(validate(problem, plan, timeline)) == "");
        limit = curve.peakBytes() * (1 - 1e-6);
        RC_ASSERT(test::rulesOf(validate(problem, plan, timeline)) == std::set{Rule::memoryLimit});
        limit = 1e12;
    }
}

RC_GTEST_PROP(ValidatorAndSimulator, AgreeOnPoliciesWithADeviceToEachStage, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 1 + upTo(random, 8), 1 + upTo(random, 6));
    if (random() % 2) addSwitches(random, problem);
    if (random() % 3 == 0) addEdges(random, problem.profile);
    if (random() % 4 == 0) problem = random_problem::onUnlikeGpus(random, problem);
    if (random() % 2) problem = random_problem::underSetupOfToday(random, problem);
    Plan plan = random_problem::plan(random, problem);
    if (random() % 2) random_problem::recomputeByThemselves(random, problem, plan);
    if (random() % 3 == 0) random_problem::takeTurns(plan, [&] { return random() % 2 != 0; });
    const std::vector<Violation> violations = check(problem, plan, 1 + upTo(random, 2));
    RC_ASSERT(textOf(violations) == "");
}

RC_GTEST_PROP(ValidatorAndSimulator, AgreeOnGroups, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const int devices = 1 + upTo(random, 15), layers = 1 + upTo(random, 6);
    Problem problem = random_problem::problem(random, layers, 2 * devices);
    if (random() % 2) addSwitches(random, problem);
    if (random() % 3 == 0) addEdges(random, problem.profile);
    if (random() % 4 == 0) problem = random_problem::onUnlikeGpus(random, problem);
    if (random() % 2) problem = random_problem::underSetupOfToday(random, problem);
    if (random() % 4 == 0) {
        problem.setup.mode = TrainingMode::asynchronous;
        problem.setup.updateBytesPerS = 0;
    }
    random_problem::makeDivisible(random, problem.profile);
    Problem half = problem;
    half.cluster.devices.resize(static_cast<std::size_t>(devices));
    Plan plan = random_problem::plan(random, half, 12);
    if (random() % 2) random_problem::recomputeByThemselves(random, problem, plan);
    random_problem::divideStages(random, plan);
    if (random() % 2) {
        for (Stage& stage : plan.stages)
            if (random() % 2) stage.group.context = stage.group.expert = 1;
        random_problem::measureStages(random, plan, problem.profile);
    }
    const bool hasPairs = problem.setup.mode == TrainingMode::synchronous && random() % 3 == 0;
    if (hasPairs)
        plan.schedule = {FamilySchedule{"1f1b-overlap",
                                        {{overlapParameter, 0.5 + 0.01 * upTo(random, 50)},
                                         {hiddenParameter, 0.01 * upTo(random, 100)}}}};
    if (problem.setup.mode == TrainingMode::asynchronous) plan.weights.kind = WeightPolicyKind::stashing;
    // A second copy of the network, divided in the same way.
    if (problem.setup.mode == TrainingMode::synchronous && problem.setup.microbatches > 1 &&
        random() % 3 == 0)
        for (std::size_t stage = 0, count = plan.stages.size(); stage < count; ++stage) {
            Stage copy = plan.stages[stage];
            copy.pipeline = 1;
            for (int& device : copy.devices) device += devices;
            plan.stages.push_back(copy);
        }
    plan.claims.fitsMemory = true;
    for (Device& device : problem.cluster.devices) device.memoryBytes = 1e12;
    SimulationOptions options;
    options.iterations = 1 + upTo(random, 2);
    const CostModel costs(problem);
    // Passes that take no time make pairs that would take none, which are refused.
    for (int stage = 0; hasPairs && stage < plan.stageCount(); ++stage)
        RC_PRE(costs.stage(plan, stage).forwardS > 0);
    Timeline timeline = simulate(costs, plan, options);
    joinInstants(timeline);
    RC_ASSERT(textOf(validate(problem, plan, timeline)) == "");
    requireTightPeaks(problem, plan, costs, timeline);
}

/// What the validator says of a plan of stages that share devices and of copies that are cut differently.
std::string complaintsOfSharedDevices(std::uint32_t seed) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 1 + upTo(random, 8), 1 + upTo(random, 5));
    if (random() % 2) addSwitches(random, problem);
    if (random() % 3 == 0) addEdges(random, problem.profile);
    problem.setup.microbatches += 2;
    if (random() % 4 == 0) problem = random_problem::onUnlikeGpus(random, problem);
    if (random() % 2) problem = random_problem::underSetupOfToday(random, problem);
    Plan plan;
    const int copies = 1 + upTo(random, 2);
    for (int copy = 0; copy < copies; ++copy) addCopy(random, problem, copy, plan);
    for (Stage& stage : plan.stages)
        if (random() % 4 == 0) stage.replication = Replication::roundRobin;
    plan.schedule.order = FamilySchedule{"greedy", {}};
    plan.schedule.splitBackward = random() % 3 == 0;
    for (int layer = 0; layer < problem.profile.layerCount(); ++layer)
        if (random() % 6 == 0) plan.memory.layers[layer] = LayerMemory::recompute;
    return textOf(check(problem, plan, 1 + upTo(random, 2)));
}

RC_GTEST_PROP(ValidatorAndSimulator, AgreeOnStagesThatShareDevicesAndOnCopies, (std::uint32_t seed)) {
    RC_ASSERT(complaintsOfSharedDevices(seed) == "");
}

/// Layers that some of a group's stages hold, one of them without parameters, on links that are shared.
TEST(ValidatorAndSimulator, AgreeWhereParametersHaveHoldersOfTheirOwn) {
    for (const std::uint32_t seed : {77328447u, 206588u})
        EXPECT_EQ(complaintsOfSharedDevices(seed), "") << seed;
}

RC_GTEST_PROP(ValidatorAndSimulator, AgreeOnCopiesOnDevicesOfTheirOwn, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const int layers = 1 + upTo(random, 8), each = 1 + upTo(random, 3);
    Problem problem = random_problem::problem(random, layers, 2 * each);
    problem.setup.microbatches += 1;
    if (random() % 4 == 0) problem = random_problem::onUnlikeGpus(random, problem);
    if (random() % 2) problem = random_problem::underSetupOfToday(random, problem);
    Problem half = problem;
    half.cluster.devices.resize(static_cast<std::size_t>(each));
    Plan plan = random_problem::plan(random, half);
    for (Stage stage : random_problem::plan(random, half).stages) {
        stage.pipeline = 1;
        for (int& device : stage.devices) device += each;
        plan.stages.push_back(stage);
    }
    const std::vector<Violation> violations = check(problem, plan, 1 + upTo(random, 2));
    RC_ASSERT(textOf(violations) == "");
}

/// What devices did under a greedy policy, spelled out as their orders.
ExplicitSchedule ordersOf(const Timeline& timeline) {
    ExplicitSchedule schedule;
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::compute) continue;
        std::vector<Task>& order = schedule.orders[lane.devices.front()];
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
            if (timeline.kind[block] == BlockKind::recompute)
                order.push_back({TaskKind::recompute, timeline.stage[block], timeline.microbatch[block]});
            else
                for (const Task& task : orderedTasks(timeline, block)) order.push_back(task);
    }
    return schedule;
}

RC_GTEST_PROP(ValidatorAndSimulator, AgreeOnOrdersSpelledOutAndOnTasksThatChangePlaces,
              (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const Problem problem = random_problem::problem(random, 1 + upTo(random, 8), 1 + upTo(random, 5));
    Plan plan;
    addCopy(random, problem, 0, plan);
    plan.schedule.order = FamilySchedule{"greedy", {}};
    plan.schedule.splitBackward = random() % 3 == 0;
    if (random() % 2) plan.memory.layers[0] = LayerMemory::recompute;
    ExplicitSchedule orders = ordersOf(simulate(CostModel(problem), plan));
    plan.schedule.order = orders;
    SimulationOptions options;
    options.iterations = 1 + upTo(random, 2);
    const Timeline timeline = simulate(CostModel(problem), plan, options);
    RC_ASSERT(textOf(validate(problem, plan, timeline)) == "");

    std::vector<Task>& order = orders.orders.begin()->second;
    // Tasks that take no time may be of one instant, which has no order.
    const auto startS = [&timeline](const Task& task) {
        return timeline.startS[timeline.find(blockKindOf(task.kind), task.stage, task.microbatch, 0)];
    };
    std::vector<std::size_t> apart;
    for (std::size_t i = 0; i + 1 < order.size(); ++i)
        if (startS(order[i]) < startS(order[i + 1])) apart.push_back(i);
    const std::size_t first = apart.at(random() % apart.size());
    std::swap(order[first], order[first + 1]);
    plan.schedule.order = orders;
    RC_ASSERT(test::rulesOf(validate(problem, plan, timeline)) == std::set{Rule::orderRespected});
}

/// Some backwards of split ones become whole: the same on every device of a stage.
void makeSomeWhole(std::mt19937& random, ExplicitSchedule& orders) {
    const unsigned salt = static_cast<unsigned>(random());
    const auto isWhole = [salt](const Task& task) {
        return (static_cast<unsigned>(task.stage * 31 + task.microbatch) ^ salt) % 3 != 0;
    };
    for (auto& [device, order] : orders.orders) {
        std::erase_if(
            order, [&](const Task& task) { return task.kind == TaskKind::weightGradient && isWhole(task); });
        for (Task& task : order)
            if (task.kind == TaskKind::inputGradient && isWhole(task)) task.kind = TaskKind::backward;
    }
}

/// Pairs a forward with the whole backward after it wherever an order has the two next to each other, if it
/// has on every device of their stage and nothing then waits for itself; about one in three is left apart.
void pairSome(std::mt19937& random, const CostModel& costs, Plan& plan, ExplicitSchedule& orders) {
    for (const auto& [device, order] : std::map(orders.orders))
        for (std::size_t i = 1; i < order.size(); ++i) {
            const Task forward = order[i - 1], backward = order[i];
            if (forward.kind != TaskKind::forward || backward.kind != TaskKind::backward || random() % 3 == 0)
                continue;
            ExplicitSchedule tried = orders;
            for (auto& [other, theirs] : tried.orders)
                for (std::size_t j = 1; j < theirs.size(); ++j)
                    if (theirs[j - 1] == forward && theirs[j] == backward) theirs[j].paired = true;
            plan.schedule = {tried};
            try {
                simulate(costs, plan);
                orders = std::move(tried);
            } catch (const SimulationError&) {
            }
        }
}

RC_GTEST_PROP(ValidatorAndSimulator, AgreeOnPairsAndOnWholeBackwardsBesideSplitOnes, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 2 + upTo(random, 8), 1 + upTo(random, 4));
    problem.setup.microbatches += 3;
    if (random() % 4 == 0) problem = random_problem::onUnlikeGpus(random, problem);
    if (random() % 2) problem = random_problem::underSetupOfToday(random, problem);
    Plan plan;
    addCopy(random, problem, 0, plan);
    plan.schedule = {FamilySchedule{"greedy", {}}, true};
    if (random() % 3 == 0) plan.memory.layers[0] = LayerMemory::recompute;
    if (random() % 3 == 0) random_problem::recomputeByThemselves(random, problem, plan);
    const CostModel costs(problem);
    ExplicitSchedule orders = ordersOf(simulate(costs, plan));
    makeSomeWhole(random, orders);
    orders.pairTimes.share = 0.5 + 0.1 * upTo(random, 6);
    if (random() % 3 == 0) orders.pairTimes.byForwardS.assign(plan.stages.size(), 0.01);
    pairSome(random, costs, plan, orders);
    plan.schedule = {orders};
    plan.claims.fitsMemory = true;
    SimulationOptions options;
    options.iterations = 1 + upTo(random, 2);
    Timeline timeline = simulate(costs, plan, options);
    RC_CLASSIFY(!timeline.pairs.empty(), "has pairs");
    for (Device& device : problem.cluster.devices) device.memoryBytes = 1e12;
    RC_ASSERT(textOf(validate(problem, plan, timeline)) == "");
    const auto graph = graphOf(costs, plan, timeline);
    RC_ASSERT(planLowerBound(costs, plan, *graph).seconds * options.iterations <=
              timeline.lastEndS() * (1 + 1e-9));
    const std::vector<double> slack = slacksS(BlockGraph(graph, timeline));
    RC_ASSERT(*std::min_element(slack.begin(), slack.end()) >= 0);
    joinInstants(timeline);
    requireTightPeaks(problem, plan, costs, timeline);
}

RC_GTEST_PROP(ValidatorAndSimulator, AgreeWithoutABarrier, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 1 + upTo(random, 8), 1 + upTo(random, 6));
    problem.setup.mode = TrainingMode::asynchronous;
    if (random() % 4 == 0) problem = random_problem::onUnlikeGpus(random, problem);
    if (random() % 2) problem = random_problem::underSetupOfToday(random, problem);
    Plan plan = random_problem::plan(random, problem);
    plan.weights.kind = random() % 2 ? WeightPolicyKind::stashing : WeightPolicyKind::predicted;
    const int iterations = random() % 8 == 0 ? 60 : 1 + upTo(random, 5);
    const std::vector<Violation> violations = check(problem, plan, iterations);
    RC_ASSERT(textOf(violations) == "");
}

RC_GTEST_PROP(ValidatorAndSimulator, AgreeOnThePeakOfMemory, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 1 + upTo(random, 8), 1 + upTo(random, 6));
    if (random() % 4 == 0) problem = random_problem::onUnlikeGpus(random, problem);
    if (random() % 2) problem = random_problem::underSetupOfToday(random, problem);
    Plan plan = random_problem::plan(random, problem);
    plan.claims.fitsMemory = true;
    if (random() % 2) random_problem::recomputeByThemselves(random, problem, plan);
    if (random() % 3 == 0) random_problem::takeTurns(plan);
    plan.memory.reserveBuffers = random() % 4 == 0;
    if (!plan.memory.reserveBuffers && random() % 2) addEdges(random, problem.profile);
    const CostModel costs(problem);
    Timeline timeline = simulate(costs, plan);
    joinInstants(timeline);
    for (const MemoryCurve& curve : memoryCurves(costs, plan, stageEdges(costs, plan), timeline)) {
        if (curve.peakBytes() <= 0) continue;
        for (Device& device : problem.cluster.devices) device.memoryBytes = 1e12;
        double& limit = problem.cluster.devices[static_cast<std::size_t>(curve.device)].memoryBytes;
        limit = curve.peakBytes();
        RC_ASSERT(textOf(validate(problem, plan, timeline)) == "");
        limit = curve.peakBytes() * (1 - 1e-6);
        RC_ASSERT(test::rulesOf(validate(problem, plan, timeline)) == std::set{Rule::memoryLimit});
    }
}

/// The simulator says why a block did not start earlier; the validator refuses the block once it does.
RC_GTEST_PROP(ValidatorAndSimulator, NoBlockMayStartBeforeWhatItWaitedFor, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 1 + upTo(random, 6), 1 + upTo(random, 5));
    if (random() % 4 == 0) problem = random_problem::onUnlikeGpus(random, problem);
    if (random() % 2) problem = random_problem::underSetupOfToday(random, problem);
    const Plan plan = random_problem::plan(random, problem);
    Timeline timeline = simulate(CostModel(problem), plan);
    const auto block = static_cast<std::uint32_t>(random() % timeline.blockCount());
    // What comes back to be ready for a backward may come earlier.
    const bool prefetched =
        timeline.kind[block] == BlockKind::swapIn || timeline.kind[block] == BlockKind::recompute;
    const bool hasLength = timeline.durationS(block) > 0 || timeline.kind[block] == BlockKind::update;
    RC_PRE(hasLength && !prefetched && !(timeline.startS[block] > 0 && timeline.waitedFor[block] == noBlock));
    test::move(timeline, block, -0.01);
    RC_ASSERT(!validate(problem, plan, timeline).empty());
}

TEST(Validator, ReadsAMillionBlocksInAFewSeconds) {
    const Problem problem = test::smallProblem(32, 32, 8000, 1000);
    std::vector<std::vector<int>> each;
    for (int device = 0; device < 32; ++device) each.push_back({device});
    Plan plan = test::smallPlan(problem, each, "pe");
    plan.claims.fitsMemory = true;
    const Timeline timeline = simulate(CostModel(problem), plan);
    ASSERT_GT(timeline.blockCount(), 1000000u);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(textOf(validate(problem, plan, timeline)), "");
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    RecordProperty("seconds", std::to_string(took));
    EXPECT_LT(took, 10);  // about 0.5 s on one idle core; sanitizers and a busy machine take longer
}

}  // namespace
}  // namespace stagecraft
