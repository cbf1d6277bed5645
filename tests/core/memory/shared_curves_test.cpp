// Devices that hold the same share their curve, which is the one that each has on its own.
#include "core/memory/memory.h"
#include "core/memory/memory_rules.h"
#include "core/simulation/simulator.h"
#include "core/weights/weight_stash.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

namespace stagecraft {
namespace {

struct OwnChange {
    double atS = 0;
    MemoryKind kind = MemoryKind::activations;
    double bytes = 0;
};

/// What one device holds, from each change of that device alone.
MemorySteps stepsOfDevice(const CostModel& costs, const Plan& plan, const Timeline& timeline, int device) {
    const MemoryRules rules(costs, plan, stageEdges(costs, plan));
    const auto isIn = [device](const std::vector<int>& devices) {
        return std::find(devices.begin(), devices.end(), device) != devices.end();
    };
    std::array<double, memoryKindCount> level{};
    for (int stage = 0; stage < plan.stageCount(); ++stage)
        if (isIn(plan.stages[static_cast<std::size_t>(stage)].devices))
            for (std::size_t kind = 0; kind < memoryKindCount; ++kind)
                level[kind] += rules.throughout(stage)[kind];
    std::vector<OwnChange> changes;
    for (const Lane& lane : timeline.lanes)
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
            rules.eachChange(
                timeline, lane, block,
                [&](const std::vector<int>& devices, double atS, MemoryEffect effect, double bytes) {
                    if (bytes == 0 || !isIn(devices)) return;
                    if (effect == MemoryEffect::activations)
                        changes.push_back({atS, MemoryKind::activations, bytes});
                    if (effect == MemoryEffect::buffers) changes.push_back({atS, MemoryKind::buffers, bytes});
                });
    if (rules.stashes())
        for (const StashedVersion& stash : stashedVersions(plan, timeline)) {
            const Stage& stage = plan.stages[static_cast<std::size_t>(stash.stage)];
            const double bytes = costs.parameterBytes(stage.firstLayer, stage.lastLayer);
            if (bytes == 0 || !isIn(stash.devices)) continue;
            changes.push_back({stash.fromS, MemoryKind::weightVersions, bytes});
            changes.push_back({stash.untilS, MemoryKind::weightVersions, -bytes});
        }
    std::stable_sort(changes.begin(), changes.end(),
                     [](const OwnChange& a, const OwnChange& b) { return a.atS < b.atS; });
    MemorySteps steps;
    for (std::size_t next = 0; next < changes.size() || steps.timeS.empty();) {
        const double atS = steps.timeS.empty() ? 0 : changes[next].atS;
        for (; next < changes.size() && changes[next].atS == atS; ++next) {
            double& series = level[static_cast<std::size_t>(changes[next].kind)];
            series += changes[next].bytes;
            if (std::abs(series) < 1e-6 * std::abs(changes[next].bytes)) series = 0;
        }
        steps.timeS.push_back(atS);
        for (std::size_t kind = 0; kind < memoryKindCount; ++kind) steps.bytes[kind].push_back(level[kind]);
    }
    return steps;
}

RC_GTEST_PROP(MemoryCurves, AreToTheBitThoseOfEachDeviceAlone, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const Problem problem = random_problem::problem(random, 1 + random_problem::upTo(random, 8),
                                                    1 + random_problem::upTo(random, 6));
    Plan plan = random_problem::plan(random, problem);
    if (random() % 3 == 0) random_problem::takeTurns(plan);
    const CostModel costs(problem);
    const Timeline timeline = simulate(costs, plan);
    const std::vector<MemoryCurve> curves = memoryCurves(costs, plan, stageEdges(costs, plan), timeline);
    RC_ASSERT(static_cast<int>(curves.size()) == costs.deviceCount());
    for (int device = 0; device < costs.deviceCount(); ++device) {
        const MemoryCurve& curve = curves[static_cast<std::size_t>(device)];
        RC_ASSERT(curve.device == device);
        RC_ASSERT(curve.limitBytes == problem.memoryLimitBytes(device));
        RC_ASSERT(*curve.steps == stepsOfDevice(costs, plan, timeline, device));
    }
}

TEST(MemoryCurves, ReplicasThatSplitMicrobatchesShareOneAndThoseThatTakeTurnsDoNot) {
    std::mt19937 random(3);
    const Problem problem = random_problem::problem(random, 4, 4);
    Plan plan;
    plan.stages = {{0, 1, {0, 1}}, {2, 3, {2, 3}}};
    plan.schedule.order = FamilySchedule{"1f1b", {}};
    plan.stages[1].replication = Replication::roundRobin;
    const CostModel costs(problem);
    const std::vector<MemoryCurve> curves =
        memoryCurves(costs, plan, stageEdges(costs, plan), simulate(costs, plan));
    EXPECT_EQ(curves[0].steps, curves[1].steps);
    EXPECT_NE(curves[0].steps, curves[2].steps);
    EXPECT_NE(curves[2].steps, curves[3].steps);
}

}  // namespace
}  // namespace stagecraft
