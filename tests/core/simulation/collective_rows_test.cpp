// A collective is an entry of a list: what it is triggered by says how often it runs and what waits for what.
#include "core/simulation/collective_rows.h"

#include "core/simulation/build_graph.h"
#include "core/simulation/compute_rows.h"
#include "core/simulation/execution_graph.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stagecraft {
namespace {

/// One stage of one layer on two devices, six microbatches.
struct SharedStage {
    explicit SharedStage(int slices = 1) : costs(problem()) {
        plan.stages = {{0, 0, {0, 1}}};
        ExplicitSchedule orders;
        orders.slices = slices;
        plan.schedule.order = orders;
        lowered = loweredPlan(costs, plan, 1);
        draft.emplace(costs, plan, *lowered, 1);
        ComputeRows(*draft).add();
    }

    static Problem problem() {
        Problem made;
        made.profile.layers = {{"a", 1, 2, 100, 0, 0, 0, 1}};
        for (const char* id : {"g0", "g1"}) made.cluster.devices.push_back({id, "", "", 1e9, 1, 0});
        made.cluster.links = {{"g0", "g1", 50, 0, ""}};
        made.setup.microbatches = 6;
        return made;
    }

    /// @returns the rows of the collective and of the update
    std::pair<TaskRow, TaskRow> add(SyncTrigger trigger) {
        std::vector<Collective> collectives = collectivesOf(costs, plan);
        EXPECT_EQ(collectives.size(), 1u);
        EXPECT_EQ(collectives.front().sync.trigger, SyncTrigger::iteration);
        collectives.front().sync.trigger = trigger;
        CollectiveRows(*draft, collectives).add();
        const std::vector<TaskRow>& rows = draft->graph().rows;
        return {rows[rows.size() - 2], rows.back()};
    }
    const TaskRow& backward() const { return draft->row(draft->rowsOf(0).lastBackward()); }

    CostModel costs;
    Plan plan;
    std::shared_ptr<const LoweredPlan> lowered;
    std::optional<GraphDraft> draft;
};

TEST(CollectiveRows, AtTheEndOfAnIterationItWaitsForAllBackwards) {
    SharedStage it;
    const auto [collective, update] = it.add(SyncTrigger::iteration);
    EXPECT_EQ(collective.kind, BlockKind::allReduce);
    EXPECT_EQ(collective.perIteration, 1u);
    EXPECT_EQ(collective.dependencies, 6u);
    EXPECT_EQ(it.backward().gatheredBy.size(), 1u);
    EXPECT_TRUE(it.backward().next.empty());
    EXPECT_EQ(update.dependencies, 1u);
}

TEST(CollectiveRows, WithEachPassItWaitsForThatPassAndTheUpdateForAllOfThem) {
    SharedStage it;
    const auto [collective, update] = it.add(SyncTrigger::afterBackward);
    EXPECT_EQ(collective.perIteration, 6u);
    EXPECT_EQ(collective.microbatchOf(4), 4);
    EXPECT_EQ(collective.dependencies, 1u);
    EXPECT_EQ(it.backward().next.size(), 1u);
    EXPECT_TRUE(it.backward().gatheredBy.empty());
    EXPECT_EQ(update.dependencies, 6u);
}

TEST(CollectiveRows, SlicesHaveOneEach) {
    SharedStage each(3);
    EXPECT_EQ(each.add(SyncTrigger::afterBackward).first.perIteration, 18u);
}

}  // namespace
}  // namespace stagecraft
