#include "core/memory/memory_saved.h"

#include "core/memory/memory_holders.h"
#include "core/simulation/simulator.h"
#include "tests/core/support/random_problem.h"
#include "tests/core/weights/weight_setting.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <set>

namespace stagecraft {
namespace {

using random_problem::upTo;

struct SavedSetting {
    Problem problem;
    Plan plan;
};

SavedSetting randomSetting(std::mt19937& random) {
    SavedSetting made;
    made.problem = random_problem::problem(random, 1 + upTo(random, 8), 1 + upTo(random, 6));
    const bool today = random() % 2 == 0;
    if (today) made.problem = random_problem::underSetupOfToday(random, made.problem);
    made.plan = random_problem::plan(random, made.problem);
    if (today) random_problem::recomputeByThemselves(random, made.problem, made.plan);
    if (random() % 3 == 0) random_problem::takeTurns(made.plan);
    made.plan.memory.reserveBuffers = random() % 4 == 0;
    return made;
}

Plan withLayers(Plan plan, LayerMemory from, LayerMemory to) {
    for (auto& [layer, memory] : plan.memory.layers)
        if (memory == from) memory = to;
    return plan;
}

std::vector<double> instantsOf(const Timeline& timeline) {
    std::set<double> instants;
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        instants.insert({timeline.startS[block], timeline.endS[block],
                         (timeline.startS[block] + timeline.endS[block]) / 2});
    }
    return {instants.begin(), instants.end()};
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-6 + 1e-9 * std::abs(b); }

RC_GTEST_PROP(SavedMemory, HeldAndSavedAreWhatIsHeldWithEveryActivationKept, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const SavedSetting it = randomSetting(random);
    const CostModel costs(it.problem);
    const Timeline timeline = simulate(costs, it.plan);
    const Plan noSwap = withLayers(it.plan, LayerMemory::swap, LayerMemory::keep);
    Plan kept = noSwap;
    for (const LayerMemory again : {LayerMemory::recompute, LayerMemory::selective, LayerMemory::checkpoint})
        kept = withLayers(kept, again, LayerMemory::keep);
    const std::vector<MemoryCurve> curves =
        memoryCurves(costs, it.plan, stageEdges(costs, it.plan), timeline);
    const std::vector<MemoryCurve> ofNoSwap =
        memoryCurves(costs, noSwap, stageEdges(costs, noSwap), timeline);
    const std::vector<MemoryCurve> ofKept = memoryCurves(costs, kept, stageEdges(costs, kept), timeline);
    const SavedMemories saved = savedMemory(costs, it.plan, stageEdges(costs, it.plan), timeline, curves);
    RC_ASSERT(saved.size() == curves.size());
    for (std::size_t i = 0; i < saved.size(); ++i) {
        if (saved[i]->timeS.empty()) {
            RC_ASSERT(near(curves[i].peakBytes(), ofKept[i].peakBytes()));
            continue;
        }
        RC_ASSERT(near(saved[i]->keptPeakBytes(), ofKept[i].peakBytes()));
        for (const double instantS : instantsOf(timeline)) {
            const std::size_t step = saved[i]->stepAt(instantS);
            const double held = curves[i].totalAt(curves[i].stepAt(instantS));
            const double withoutSwap = ofNoSwap[i].totalAt(ofNoSwap[i].stepAt(instantS));
            const double all = ofKept[i].totalAt(ofKept[i].stepAt(instantS));
            RC_ASSERT(near(saved[i]->held[step], held));
            RC_ASSERT(near(saved[i]->bySwap[step], withoutSwap - held));
            RC_ASSERT(near(saved[i]->byRecompute[step], all - withoutSwap));
            RC_ASSERT(saved[i]->bySwap[step] >= 0);
        }
    }
}

TEST(SavedMemory, IsWhatIsOutOnTheHostAndWhatWasNotKept) {
    // One stage on one device: layer 0 is swapped (60 bytes), layer 1 recomputed (50), layer 2 kept (40).
    Problem problem;
    problem.profile.layers = {
        {"a", 2, 2, 0, 0, 0, 60, 1}, {"b", 2, 2, 0, 0, 0, 50, 1}, {"c", 2, 2, 0, 0, 0, 40, 1}};
    problem.cluster.devices = {{"g0", "", "", 1e6, 1, 60}};
    problem.setup.microbatches = 3;
    Plan plan;
    plan.stages.push_back({0, 2, {0}});
    plan.schedule.order = FamilySchedule{"gpipe", {}};
    plan.memory.layers = {{0, LayerMemory::swap}, {1, LayerMemory::recompute}};
    const CostModel costs(problem);
    const Timeline timeline = simulate(costs, plan);
    const SavedMemory saved = *savedMemory(costs, plan, stageEdges(costs, plan), timeline,
                                           memoryCurves(costs, plan, stageEdges(costs, plan), timeline))
                                   .front();
    // Forwards end at 6, 12 and 18 s, the first swap-out at 7 s; it comes back during the last forward.
    EXPECT_EQ(timeline.endS[timeline.find(BlockKind::swapOut, 0, 0, 0)], 7);
    EXPECT_EQ(saved.bySwap[saved.stepAt(6.9)], 0);
    EXPECT_EQ(saved.bySwap[saved.stepAt(7)], 60);
    EXPECT_EQ(saved.byRecompute[saved.stepAt(0)], 50);
    EXPECT_EQ(saved.byRecompute[saved.stepAt(6)], 100);
    EXPECT_EQ(saved.mostByRecompute(), 150);
    EXPECT_EQ(saved.keptPeakBytes(), 450);
    EXPECT_EQ(saved.bySwap.back(), 0);
    EXPECT_EQ(saved.byRecompute.back(), 0);
}

TEST(SavedMemory, IsNothingWhereEverythingIsKept) {
    std::mt19937 random(5);
    SavedSetting it = randomSetting(random);
    it.plan.memory.layers = {{0, LayerMemory::keep}};
    const CostModel costs(it.problem);
    const Timeline timeline = simulate(costs, it.plan);
    EXPECT_FALSE(savesMemory(it.plan, timeline));
    for (const auto& saved :
         savedMemory(costs, it.plan, stageEdges(costs, it.plan), timeline,
                     memoryCurves(costs, it.plan, stageEdges(costs, it.plan), timeline))) {
        EXPECT_TRUE(saved->timeS.empty());
        EXPECT_EQ(saved->keptPeakBytes(), 0);
        EXPECT_EQ(saved->mostBySwap(), 0);
    }
}

/// Kind by kind, at instants of all blocks.
void requireHoldersAddUp(const CostModel& costs, const Plan& plan, const Timeline& timeline) {
    const std::vector<MemoryCurve> curves = memoryCurves(costs, plan, stageEdges(costs, plan), timeline);
    const SavedMemories saved = savedMemory(costs, plan, stageEdges(costs, plan), timeline, curves);
    const MemoryLedger ledger(costs, plan, stageEdges(costs, plan), timeline);
    const std::vector<double> instants = instantsOf(timeline);
    for (std::size_t i = 0; i < curves.size(); ++i)
        for (std::size_t at = 0; at < instants.size(); at += 1 + instants.size() / 40) {
            std::array<double, memoryKindCount> sums{};
            double swapped = 0, left = 0;
            for (const MemoryHolder& holder : ledger.holders(curves[i].device, instants[at])) {
                sums[static_cast<std::size_t>(holder.kind)] += holder.bytes;
                swapped += holder.savedBySwap;
                left += holder.savedByRecompute;
                if (holder.block == noBlock) continue;
                RC_ASSERT(timeline.startS[holder.block] <= instants[at]);
                RC_ASSERT(timeline.stage[holder.block] == holder.stage);
            }
            const std::size_t step = curves[i].stepAt(instants[at]);
            for (std::size_t kind = 0; kind < memoryKindCount; ++kind)
                RC_ASSERT(near(sums[kind], curves[i].bytes()[kind][step]));
            if (saved[i]->timeS.empty()) continue;
            RC_ASSERT(near(swapped, saved[i]->bySwap[saved[i]->stepAt(instants[at])]));
            RC_ASSERT(near(left, saved[i]->byRecompute[saved[i]->stepAt(instants[at])]));
        }
}

RC_GTEST_PROP(MemoryLedger, WhatIsAliveAddsUpToTheCurve, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const SavedSetting it = randomSetting(random);
    const CostModel costs(it.problem);
    requireHoldersAddUp(costs, it.plan, simulate(costs, it.plan));
}

RC_GTEST_PROP(MemoryLedger, WeightsThatAreKeptAddUpToo, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const WeightPolicyKind policies[] = {WeightPolicyKind::stashing, WeightPolicyKind::verticalSync,
                                         WeightPolicyKind::doubleBuffer, WeightPolicyKind::predicted};
    const weight_setting::Setting it = weight_setting::unitSetting(
        policies[random() % 4], 1 + upTo(random, 4), 1 + upTo(random, 3), 2 + upTo(random, 6));
    requireHoldersAddUp(CostModel(it.problem), it.plan, it.timeline);
}

TEST(MemoryLedger, SaysWhichBlockTookIt) {
    const weight_setting::Setting it = weight_setting::unitSetting(WeightPolicyKind::stashing, 3, 1, 6);
    const CostModel costs(it.problem);
    const MemoryLedger ledger(costs, it.plan, stageEdges(costs, it.plan), it.timeline);
    const std::uint32_t forward = it.timeline.find(BlockKind::forward, 0, 0, 3);
    const double instantS = it.timeline.startS[forward];
    int activations = 0;
    for (const MemoryHolder& holder : ledger.holders(0, instantS)) {
        if (holder.kind == MemoryKind::activations) {
            ++activations;
            EXPECT_EQ(it.timeline.kind[holder.block], BlockKind::forward);
            EXPECT_EQ(it.timeline.iteration[holder.block], holder.iteration);
            EXPECT_LE(holder.iteration, 3);
        }
        if (holder.kind == MemoryKind::weightVersions && holder.version > 0) {
            EXPECT_EQ(it.timeline.kind[holder.block], BlockKind::update);
            EXPECT_EQ(it.timeline.iteration[holder.block], holder.version - 1);
        }
    }
    EXPECT_GE(activations, 2) << "that forward takes some, and others are in flight";
    const std::vector<MemoryHolder> atEnd = ledger.holders(0, it.timeline.lastEndS());
    for (const MemoryHolder& holder : atEnd) EXPECT_NE(holder.kind, MemoryKind::activations);
}

}  // namespace
}  // namespace stagecraft
