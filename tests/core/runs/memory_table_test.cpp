// What devices hold at their peak, by cause, and when.
#include "core/planners/planned_run.h"
#include "core/runs/chosen_schedule.h"
#include "core/runs/memory_table.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <numeric>
#include <set>

namespace stagecraft {
namespace {

RC_GTEST_PROP(MemoryTable, HasEachDeviceOnceAtThePeakOfItsCurve, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const Problem problem = random_problem::underSetupOfToday(
        random, random_problem::problem(random, 1 + random_problem::upTo(random, 8),
                                        1 + random_problem::upTo(random, 6)));
    Plan plan = random_problem::plan(random, problem);
    random_problem::recomputeByThemselves(random, problem, plan);
    const PlanRun run = evaluatePlan(std::make_shared<const CostModel>(problem), plan);
    RC_ASSERT(run.ok());
    std::set<int> seen;
    for (const MemoryRow& row : memoryTable(run)) {
        double activations = 0;
        for (const StoredPart& part : row.activations) activations += part.bytes;
        const double expected = row.bytes[static_cast<std::size_t>(MemoryKind::activations)];
        RC_ASSERT(std::abs(activations - expected) <= 1e-9 * (1 + expected));
        RC_ASSERT(std::accumulate(row.bytes.begin(), row.bytes.end(), 0.0) == row.totalBytes);
        for (const int device : row.devices) {
            RC_ASSERT(seen.insert(device).second);
            const MemoryCurve& curve = run.evaluation->memory[static_cast<std::size_t>(device)];
            RC_ASSERT(row.totalBytes == curve.peakBytes());
            RC_ASSERT(row.atS == curve.timeS()[curve.peakStep()]);
        }
    }
    for (const MemoryCurve& curve : run.evaluation->memory)
        RC_ASSERT(seen.contains(curve.device) == (curve.peakBytes() > 0));
}

TEST(MemoryTable, SaysWhatIsKeptByCauseAndWhen) {
    Problem problem;
    problem.profile.layers = {{"a", 1, 2, 100, 30, 30, 100, 1}, {"b", 1, 2, 100, 0, 0, 100, 1}};
    for (Layer& layer : problem.profile.layers)
        layer.storedParts = {{ActivationCause::scores, 40}, {ActivationCause::mlp, 60}};
    problem.cluster.devices = {{"g0", "", "", 1e6, 1, 0}, {"g1", "", "", 1e6, 1, 0}};
    problem.cluster.links = {{"g0", "g1", 1e6, 0, ""}};
    problem.setup.microbatches = 4;
    Plan plan;
    plan.stages = {{0, 0, {0}}, {1, 1, {1}}};
    plan.schedule.order = FamilySchedule{"gpipe", {}};
    const auto rowsOf = [&](const Plan& of) {
        return memoryTable(evaluatePlan(std::make_shared<const CostModel>(problem), of));
    };
    const std::vector<MemoryRow> rows = rowsOf(plan);
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].stages, std::vector<int>{0});
    EXPECT_EQ(rows[0].activations,
              (std::vector<StoredPart>{{ActivationCause::scores, 160}, {ActivationCause::mlp, 240}}));
    EXPECT_EQ(rows[0].moment, "forward of microbatch 3 on stage 0");
    plan.memory.layers = {{0, LayerMemory::selective}};
    EXPECT_EQ(rowsOf(plan)[0].activations, (std::vector<StoredPart>{{ActivationCause::mlp, 280}}))
        << "240 are kept, and 40 of one microbatch's come back";
}

TEST(InEqualStages, GivesEachAsManyDevicesOrSaysWhyNot) {
    std::mt19937 random(1);
    const CostModel costs(random_problem::problem(random, 5, 6));
    const Plan plan = inEqualStages(costs, 3);
    ASSERT_EQ(plan.stageCount(), 3);
    EXPECT_EQ(plan.stages[1].devices, (std::vector<int>{2, 3}));
    EXPECT_EQ(plan.stages[2].lastLayer, 4);
    EXPECT_THROW(inEqualStages(costs, 4), std::invalid_argument);
    EXPECT_THROW(inEqualStages(costs, 6), std::invalid_argument) << "five layers";
}

}  // namespace
}  // namespace stagecraft
