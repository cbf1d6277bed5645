// Predictions against measured runs: what was calibrated on one model predicts another.
#include "core/base/process.h"
#include "core/experiments/experiment.h"
#include "core/experiments/grid.h"
#include "core/experiments/printed.h"
#include "core/experiments/runner.h"
#include "core/formats/text_file.h"
#include "tests/support/every_room.h"
#include "tests/support/measured_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace stagecraft {
namespace {

constexpr char measuredThroughput[] = "throughput_samples_per_s";

/// The twelve rows of Qi et al., ICLR 2024, under three choices of overheads and four methods.
Grid zeroBubbleGrid() {
    const std::filesystem::path path = STAGECRAFT_SOURCE_DIR "/samples/measured/zero-bubble.experiment.json";
    return Grid(readExperiment(readTextFile(path), path.string(), path.parent_path()));
}

/// Cells of the rows whose label begins so, at that choice of overheads.
std::vector<std::size_t> cellsOfRows(const Grid& grid, const std::string& model, std::size_t overheads) {
    std::vector<std::size_t> cells;
    const std::vector<AxisValue>& rows = grid.experiment().axes.front().values;
    for (std::size_t row = 0; row < rows.size(); ++row)
        for (std::size_t method = 0; method < grid.experiment().planners.size(); ++method)
            if (rows[row].label.starts_with(model))
                cells.push_back(grid.cellOf(grid.pointAt({row, overheads}), method));
    return cells;
}

/// Predicted over measured throughput, less one, by cell.
std::vector<double> errorsOf(const Grid& grid, const std::vector<std::size_t>& cells) {
    const std::vector<CellResult> found = runCells(grid, cells), printed = printedCells(grid);
    std::vector<double> errors;
    for (const std::size_t cell : cells) {
        EXPECT_EQ(found[cell].status, CellStatus::ok) << found[cell].reason;
        errors.push_back(found[cell].metric(measuredThroughput).value_or(0) /
                             printed[cell].metric(measuredThroughput).value() -
                         1);
    }
    return errors;
}

double medianSize(std::vector<double> errors) {
    for (double& error : errors) error = std::abs(error);
    std::sort(errors.begin(), errors.end());
    return errors[errors.size() / 2];
}

}  // namespace

/// Nothing is calibrated. The first stage has 8, then 11 of the 15 layers, whose forwards take longer one by
/// one than in the run, where their kernels are launched ahead.
TEST(MeasuredRuns, TwoStagesOnTheHalvesOfOneGpuArePredictedFromTheirLayers) {
    const auto rows = testing::predictedRows("two-stages");
    ASSERT_EQ(rows.size(), 3u);
    for (const MeasuredPrediction& row : rows)
        EXPECT_LE(std::abs(testing::errorOf(row)), 0.06) << row.row->name;
}

TEST(MeasuredRuns, TheSampleHasTwelveRowsWithAllMeasurements) {
    const Grid grid = zeroBubbleGrid();
    ASSERT_EQ(grid.experiment().axes.size(), 2u);
    EXPECT_EQ(grid.experiment().axes.front().values.size(), 12u);
    EXPECT_EQ(grid.cellCount(), 144u);
    const std::vector<CellResult> printed = printedCells(grid);
    for (const CellResult& cell : printed) EXPECT_GT(cell.metric(measuredThroughput).value_or(0), 0);
    // 14.5 samples per GPU and second on 8 GPUs, and 1.00 on 32.
    EXPECT_DOUBLE_EQ(printed[grid.cellOf(grid.pointAt({0, 0}), 3)].metric(measuredThroughput).value(), 116);
    EXPECT_DOUBLE_EQ(printed[grid.cellOf(grid.pointAt({11, 2}), 3)].metric(measuredThroughput).value(), 32);
}

TEST(MeasuredRuns, WhatIsCalibratedOnOneModelPredictsAnother) {
    if (!isOnPath("python3")) GTEST_SKIP() << "python3 is not installed";
    const Grid grid = zeroBubbleGrid();
    const std::vector<double> without = errorsOf(grid, cellsOfRows(grid, "6.2B", 0)),
                              perPass = errorsOf(grid, cellsOfRows(grid, "6.2B", 1)),
                              both = errorsOf(grid, cellsOfRows(grid, "6.2B", 2));
    for (const double error : without) EXPECT_GT(error, 0) << "nothing is left out that makes a run faster";
    EXPECT_LT(medianSize(perPass), 0.03);
    EXPECT_LT(medianSize(both), 0.03);
    EXPECT_LT(medianSize(both), medianSize(without));
}

}  // namespace stagecraft
