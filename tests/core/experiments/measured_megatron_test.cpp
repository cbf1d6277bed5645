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

constexpr double bytesOfGib = 1024.0 * 1024 * 1024;

std::vector<MeasuredCells> korthikantiRows() { return measuredTable("measured/published/korthikanti.csv"); }

/// What becomes of the activations, as Megatron-LM's arguments say it.
const char* const nothingRecomputed = "";
const char* const sequenceAndSelective = " --sequence-parallel --recompute-granularity selective";

PlanRun runOfMegatron(const MeasuredCells& row, const char* recomputation) {
    const MeasuredProject project = korthikantiProject(row, recomputation);
    return evaluatePlan(std::make_shared<const CostModel>(project.problem), project.plan);
}

/// In GiB, when a GPU has most.
double gibAtPeak(const PlanRun& run, int device, std::initializer_list<MemoryKind> kinds) {
    const MemoryCurve& curve = run.evaluation->memory.at(static_cast<std::size_t>(device));
    double bytes = 0;
    for (const MemoryKind kind : kinds)
        bytes += curve.bytes()[static_cast<std::size_t>(kind)].at(curve.peakStep());
    return bytes / bytesOfGib;
}

/// Of the first GPU, without what the block has again whose backward is running.
double keptActivationsGib(const PlanRun& run) {
    const Plan& plan = run.result.plan;
    const int block = 1;
    return gibAtPeak(run, 0, {MemoryKind::activations}) -
           run.costs->broughtBackBytes(block, plan.layerMemory(block), plan.stages.front().group) /
               bytesOfGib;
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
    for (const MeasuredCells& row : korthikantiRows()) {
        SCOPED_TRACE(row.at("model"));
        const PlanRun plain = runOfMegatron(row, nothingRecomputed),
                      both = runOfMegatron(row, sequenceAndSelective);
        ASSERT_TRUE(plain.ok()) << plain.result.reason;
        ASSERT_TRUE(both.ok()) << both.result.reason;
        const int second = row.at("stages") == "1" ? 0 : std::stoi(row.at("tensor"));
        const double states = gibAtPeak(both, second,
                                        {MemoryKind::parameters, MemoryKind::gradients,
                                         MemoryKind::masterWeights, MemoryKind::optimizerState});
        const auto shown = [&](const char* column) { return std::stod(row.at(column)); };
        EXPECT_NEAR(keptActivationsGib(plain) / shown("activations_gib"), 1, 0.03);
        EXPECT_NEAR(keptActivationsGib(both) / shown("activations_both_gib"), 1, 0.03);
        EXPECT_NEAR(states / shown("states_gib"), 1, 0.02);
    }
}

}  // namespace stagecraft
