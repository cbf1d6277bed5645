#include "core/formats/files/project_file.h"
#include "core/planners/planned_run.h"
#include "tests/support/every_room.h"
#include "core/planners/vpipe/complete_search.h"
#include "tests/core/planners/random_problems.h"
#include "tests/core/planners/vpipe_problems.h"
#include "tests/core/support/slow_property.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace stagecraft {
namespace {

using testing::between;
using testing::plentyOfBytes;
using testing::runVpipe;

/// Few enough layers for every partition with every choice to be tried.
Problem evenMemoryProblem() {
    const int devices = between(2, 3);
    return testing::wholeBytesProblem(devices, between(devices + 1, 5));
}

/// Calls visit(memory) for every way to keep, recompute and swap the layers of the stages.
template <typename Visit>
void forEachChoice(const Problem& problem, const std::vector<Stage>& stages, Visit visit) {
    std::vector<int> ways;
    for (const Stage& stage : stages) {
        const Device& device = problem.cluster.devices[static_cast<std::size_t>(stage.devices[0])];
        ways.insert(ways.end(), static_cast<std::size_t>(stage.layerCount()),
                    device.hostBandwidthBps > 0 ? 3 : 2);
    }
    const int choices = std::accumulate(ways.begin(), ways.end(), 1, std::multiplies<>());
    for (int choice = 0; choice < choices; ++choice) {
        MemoryPolicy memory;
        int rest = choice;
        for (std::size_t layer = 0; layer < ways.size(); rest /= ways[layer++])
            if (const int op = rest % ways[layer]; op > 0)
                memory.layers[static_cast<int>(layer)] = op == 1 ? LayerMemory::recompute : LayerMemory::swap;
        visit(memory);
    }
}

/// The highest peak of any device.
double peakOf(const std::shared_ptr<const CostModel>& costs, const Plan& plan) {
    const PlanRun run = evaluatePlan(costs, plan);
    double peak = 0;
    for (const DeviceMetrics& device : run.evaluation->metrics.devices)
        peak = std::max(peak, device.peakMemoryBytes);
    return peak;
}

/// The least memory for which a plan exists, if all devices have as much, of these partitions; by trying
/// every plan.
double leastMemory(const Problem& problem, const Plan& like,
                   const std::vector<std::vector<Stage>>& partitions) {
    const auto costs = std::make_shared<const CostModel>(problem);
    double least = std::numeric_limits<double>::infinity();
    for (const std::vector<Stage>& stages : partitions)
        forEachChoice(problem, stages, [&](const MemoryPolicy& memory) {
            Plan plan = like;
            plan.stages = stages;
            plan.memory = memory;
            least = std::min(least, peakOf(costs, plan));
        });
    return least;
}

std::vector<std::vector<Stage>> allPartitions(const Problem& problem) {
    std::vector<int> order(problem.cluster.devices.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<std::vector<Stage>> partitions;
    const auto add = [&](const std::vector<Stage>& stages) { partitions.push_back(stages); };
    testing::forEachPartition(problem.profile.layerCount(), order, static_cast<int>(order.size()), add);
    return partitions;
}

struct RefusalCounts {
    int planned = 0, refused = 0;
};

/// Just enough memory for the best of all plans, and a little less.
void holdToAllPlans(const char* parts, RefusalCounts& counts) {
    const Problem roomy = evenMemoryProblem();
    const ParameterValues values = {{"parts", std::string(parts)},
                                    {"own_partition", std::string("none")},
                                    {"eager_swap", *rc::gen::inRange(0, 2) == 1}};
    const PlanRun kept = runVpipe(roomy, values);
    RC_ASSERT(kept.ok());
    const bool all = std::string(parts) == "all";
    const double least =
        leastMemory(roomy, kept.result.plan,
                    all ? allPartitions(roomy) : std::vector<std::vector<Stage>>{kept.result.plan.stages});
    for (const double limit : {least, 0.999 * least}) {
        if (!(limit > 0)) continue;
        Problem problem = roomy;
        for (Device& device : problem.cluster.devices) device.memoryBytes = limit;
        const PlanRun run = runVpipe(problem, values);
        ++(run.ok() ? counts.planned : counts.refused);
        if (limit == least && !run.ok()) RC_FAIL(run.result.reason);
        if (!run.ok()) continue;
        if (limit < least) RC_FAIL("a plan fits where none does");
        RC_ASSERT(run.evaluation->valid() && run.evaluation->metrics.fitsMemory);
    }
}

TEST(VpipeRefusal, OfAChoiceOfSwapsAndRecomputationsOnlyWhereNoneFits) {
    RefusalCounts counts;
    EXPECT_TRUE(testing::checkSlowly([&] { holdToAllPlans("swap-recompute", counts); }));
    EXPECT_GT(counts.planned, testing::ofSlowCases(50));
    EXPECT_GT(counts.refused, testing::ofSlowCases(50));
}

TEST(VpipeRefusal, OnlyWhereNoPartitionWithAnyChoiceFits) {
    RefusalCounts counts;
    EXPECT_TRUE(testing::checkSlowly([&] { holdToAllPlans("all", counts); }));
    EXPECT_GT(counts.planned, testing::ofSlowCases(50));
    EXPECT_GT(counts.refused, testing::ofSlowCases(50));
}

// A few mini-batches after each other hold 14 bytes on a GPU of 13, the long run holds 13. Found by the
// property above.
TEST(VpipeRefusal, WhatTheLongRunHoldsDecides) {
    const PlanFile known = openPlan(STAGECRAFT_SOURCE_DIR "/tests/data/vpipe/long-run.plan.json");
    const auto costs = std::make_shared<const CostModel>(known.problem);
    ASSERT_TRUE(evaluatePlan(costs, known.plan).evaluation->metrics.fitsMemory);
    for (const bool eager : {false, true}) {
        const PlanRun run = runVpipe(
            known.problem,
            {{"parts", std::string("all")}, {"own_partition", std::string("none")}, {"eager_swap", eager}});
        ASSERT_TRUE(run.ok()) << run.result.reason;
        EXPECT_TRUE(run.evaluation->metrics.fitsMemory);
    }
}

TEST(VpipeRefusal, NeverSaysThatAStageNeedsMoreThanTheBestPlanDoes) {
    int simulated = 0, byFloor = 0;
    EXPECT_TRUE(testing::checkSlowly([&] {
        const Problem roomy = evenMemoryProblem();
        const PlanRun kept = runVpipe(roomy, {});
        RC_ASSERT(kept.ok());
        const double least = leastMemory(roomy, kept.result.plan, allPartitions(roomy));
        Problem problem = roomy;
        const double limit = least * *rc::gen::inRange(95, 100) / 100;
        for (Device& device : problem.cluster.devices) device.memoryBytes = limit;
        RC_PRE(least > 0);
        vpipe::Settings settings;
        if (roomy.setup.mode == TrainingMode::asynchronous) settings.system = vpipe::System::asynchronous;
        const CostModel costs = kept.costs->problem().setup == problem.setup
                                    ? CostModel(problem)
                                    : CostModel(problem).withSetup(kept.costs->problem().setup);
        const vpipe::SearchResult found =
            vpipe::CompleteSearch(costs, settings, {}).run(problem.cluster.deviceCount(), {});
        RC_ASSERT(!found.fits && found.complete);
        RC_ASSERT(found.neededBytes > found.limitBytes);
        // What was simulated is a plan, and none needs less than the best; what was not may need any more.
        if (found.simulated > 0)
            RC_ASSERT(found.neededBytes >= least * (1 - 1e-9));
        else
            RC_ASSERT(found.neededBytes <= least * (1 + 1e-9));
        ++(found.simulated > 0 ? simulated : byFloor);
    }));
    EXPECT_GT(simulated, 0);
    EXPECT_GT(byFloor, testing::ofSlowCases(20));
}

TEST(VpipeRefusal, NoDeviceEverHoldsLessThanItsFloor) {
    EXPECT_TRUE(testing::checkSlowly([&] {
        const Problem problem = evenMemoryProblem();
        const PlanRun kept = runVpipe(problem, {});
        RC_ASSERT(kept.ok());
        vpipe::Settings settings;
        if (problem.setup.mode == TrainingMode::asynchronous) settings.system = vpipe::System::asynchronous;
        const vpipe::MemoryFloor floor(*kept.costs, settings, problem.cluster.deviceCount());
        for (const std::vector<Stage>& stages : allPartitions(problem))
            forEachChoice(problem, stages, [&](const MemoryPolicy& memory) {
                Plan plan = kept.result.plan;
                plan.stages = stages;
                plan.memory = memory;
                const PlanRun run = evaluatePlan(std::make_shared<const CostModel>(problem), plan);
                for (std::size_t s = 0; s < stages.size(); ++s) {
                    vpipe::LayerOps ops;
                    for (int layer = stages[s].firstLayer; layer <= stages[s].lastLayer; ++layer)
                        ops.push_back(plan.layerMemory(layer));
                    const int stage = static_cast<int>(s);
                    const double bytes = floor.bytes(stage, stages[s].firstLayer, ops);
                    RC_ASSERT(bytes <= run.evaluation->metrics.devices[s].peakMemoryBytes * (1 + 1e-9));
                    floor.eachLeast(stage, stages[s].firstLayer, [&](int last, double least) {
                        if (last == stages[s].lastLayer) RC_ASSERT(least <= bytes * (1 + 1e-9));
                        return last < stages[s].lastLayer;
                    });
                }
            });
    }));
}

/// Forty layers whose outputs alone fill the devices while they are sent, which no floor knows.
TEST(VpipeRefusal, SaysWhereTheSearchWasCutShort) {
    Problem problem;
    for (int layer = 0; layer < 40; ++layer)
        problem.profile.layers.push_back({"l" + std::to_string(layer), 1, 2, 1, 1000, 1000, 2, 1});
    for (int device = 0; device < 4; ++device) {
        problem.cluster.devices.push_back({"g" + std::to_string(device), "s0", "", 900, 1, 5});
        for (int other = 0; other < device; ++other)
            problem.cluster.links.push_back(
                {"g" + std::to_string(other), "g" + std::to_string(device), 100, 0, ""});
    }
    problem.setup.microbatches = 8;
    const PlanRun run = runVpipe(problem, {});
    EXPECT_EQ(run.result.status, PlanStatus::infeasible);
    EXPECT_NE(run.result.reason.find("not all that there are"), std::string::npos) << run.result.reason;
}

}  // namespace
}  // namespace stagecraft
