// Predictions for configurations of Megatron-LM, planned as they are, against what was published of them.
#include "core/analysis/flops_utilisation.h"
#include "core/experiments/measured/sets.h"
#include "core/planners/planned_run.h"
#include "tests/support/every_room.h"
#include "tests/support/measured_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace stagecraft {
namespace {

std::vector<MeasuredCells> korthikantiRows() { return measuredTable("measured/published/korthikanti.csv"); }

/// What becomes of the activations, as Megatron-LM's arguments say it.
const char* const sequenceAndSelective = " --sequence-parallel --recompute-granularity selective";

PlanRun runOfMegatron(const MeasuredCells& row, const char* recomputation) {
    const MeasuredProject project = korthikantiProject(row, recomputation);
    return evaluatePlan(std::make_shared<const CostModel>(project.problem), project.plan);
}

}  // namespace

/// Korthikanti et al., MLSys 2023, Table 5. Nothing is calibrated.
TEST(MeasuredMegatron, IterationsWithSequenceParallelismAndSelectiveRecomputation) {
    const auto rows = testing::predictedRows("korthikanti");
    ASSERT_EQ(rows.size(), 8u);
    for (const MeasuredPrediction& row : rows)
        EXPECT_LE(std::abs(testing::errorOf(row)), 0.1) << row.row->name;
}

/// The same table: what the model's FLOP are of the peak, in the time that was measured.
TEST(MeasuredMegatron, FlopsOfTheModelAreThoseOfThePublishedUtilisation) {
    for (const MeasuredCells& row : korthikantiRows()) {
        const PlanRun run = runOfMegatron(row, sequenceAndSelective);
        ASSERT_TRUE(run.ok()) << run.result.reason;
        const auto reached = flopsUtilisation(*run.costs, run.result.plan, run.evaluation->metrics);
        ASSERT_TRUE(reached);
        const double published = std::stod(row.at("mfu"));
        EXPECT_NEAR(reached->modelFlops / std::stod(row.at("both_s")) / reached->peakFlops, published,
                    0.005 * published)
            << row.at("model");
    }
}

/// Fig. 1: what blocks keep on the first stage, where most microbatches are alive, and the states of a
/// stage's blocks. The figure has neither embedding nor head, of which the states are on the first stage, and
/// what they keep is little.
TEST(MeasuredMegatron, MemoryOfAGpuIsThatOfFigure1) {
    for (const auto& [set, most] : {std::pair("korthikanti-states", 0.02), {"korthikanti-activations", 0.03}})
        for (const MeasuredPrediction& row : testing::predictedRows(set))
            EXPECT_LE(std::abs(testing::errorOf(row)), most) << row.row->name;
}

}  // namespace stagecraft
