// Predictions against measured runs: what was calibrated on one model predicts another.
#include "core/base/process.h"
#include "core/base/text_parts.h"
#include "core/experiments/experiment.h"
#include "core/experiments/grid.h"
#include "core/experiments/printed.h"
#include "core/experiments/runner.h"
#include "core/formats/files/import.h"
#include "core/formats/files/project_file.h"
#include "core/formats/text_file.h"
#include "core/generation/template_catalogue.h"
#include "core/planners/planned_run.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

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

/// Of Llama 3 on 8 B200 in two stages and four copies, bf16, ZeRO-1, one sample of 4,096 tokens a microbatch:
/// MooreThreads/SimuMax, docs/b200/b200_release_v1.2_summary.json at 4dcaae5.
struct B200Run {
    const char* model;
    int layers, microbatches;
    double seconds, allocatedGib;
    double blockMatrices;  ///< numbers of the matrices of one block, of each shape once
};
const B200Run b200Runs[] = {
    {"llama3-70b", 12, 4, 0.8430, 66.55, 855638016},
    {"llama3-70b", 12, 8, 1.4768, 66.55, 855638016},
    {"llama3-70b", 12, 32, 5.4365, 66.55, 855638016},
    {"llama3-405b_padding_128", 4, 4, 1.0746, 87.08, 3221225472},
    {"llama3-405b_padding_128", 4, 8, 1.9354, 87.08, 3221225472},
    {"llama3-405b_padding_128", 4, 32, 7.0464, 87.08, 3221225472},
};

/// The run as it was measured: four samples go to four copies of a stage, and half of the layers to each.
PlanRun simulated(const B200Run& measured, double reservedBytes) {
    const std::string data = STAGECRAFT_SOURCE_DIR "/tests/data/";
    nlohmann::json model =
        nlohmann::json::parse(readTextFile(data + "models/simumax/" + measured.model + ".json"));
    model["layer_num"] = measured.layers;
    ProfileImportOptions options;
    options.described = {{"gpu", std::string("B200-SXM-180GB")},
                         {"sequence_length", 4096},
                         {"microbatch_size", 4},
                         {"microbatch_sizes", std::string("1")},
                         {"efficiencies", data + "measured/simumax-system-b200.json"}};
    Problem problem;
    problem.profile = importProfile(model.dump(), measured.model, options).profile;
    const ClusterTemplate& machine = *findClusterTemplate("dgx-b200");
    ParameterValues values = defaultValues(machine.parameters);
    values["servers"] = 1;
    problem.cluster = machine.make(values);
    problem.setup = {.microbatches = measured.microbatches,
                     .optimizer = Optimizer::adam,
                     .precision = StatePrecision::mixed,
                     .zero = ZeroStage::optimizer,
                     .wholeSamples = true,
                     .reservedBytes = reservedBytes};
    const int half = problem.profile.layerCount() / 2;
    Plan plan;
    plan.stages = {{0, half - 1, {0, 1, 2, 3}}, {half, 2 * half - 1, {4, 5, 6, 7}}};
    plan.schedule = {FamilySchedule{"1f1b", {}}};
    return evaluatePlan(std::make_shared<const CostModel>(problem), plan);
}

/// Seconds of an iteration of samples/measured/two-stages, without the update of weights: the median of those
/// after the first three.
double measuredTwoStages(const std::string& name) {
    std::map<int, double> ends;
    std::istringstream table(
        readTextFile(STAGECRAFT_SOURCE_DIR "/samples/measured/two-stages/" + name + ".passes.csv"));
    std::string line;
    std::getline(table, line);
    while (std::getline(table, line)) {
        const std::vector<std::string_view> cells = cellsOf(line, ',');
        const int iteration = std::stoi(std::string(cells.at(0)));
        if (iteration >= 3 && cells.at(2) != "update")
            ends[iteration] = std::max(ends[iteration], std::stod(std::string(cells.at(6))));
    }
    std::vector<double> seconds;
    for (const auto& [iteration, end] : ends) seconds.push_back(end);
    std::sort(seconds.begin(), seconds.end());
    return seconds.at(seconds.size() / 2);
}

/// The same predicted from the layers as they were measured on one half of the GPU, the other at rest.
double predictedTwoStages(const std::string& family, int layersInFirst) {
    const std::string files = STAGECRAFT_SOURCE_DIR "/samples/measured/two-stages/";
    Problem problem;
    problem.profile = openProfile(files + "half-of-an-h100.profile.json").profile;
    problem.cluster = openCluster(files + "halves.cluster.json");
    problem.setup = {.microbatches = 8, .optimizer = Optimizer::sgd};
    Plan plan;
    plan.stages = {{0, layersInFirst - 1, {0}}, {layersInFirst, problem.profile.layerCount() - 1, {1}}};
    plan.schedule = {FamilySchedule{family, {}}};
    const PlanRun run = evaluatePlan(std::make_shared<const CostModel>(problem), plan);
    EXPECT_TRUE(run.ok()) << run.result.reason;
    return run.ok() ? run.iterationTimeS() : 0;
}

}  // namespace

/// Nothing is calibrated. The first stage has 8, then 11 of the 15 layers, whose forwards take longer one by
/// one than in the run, where their kernels are launched ahead.
TEST(MeasuredRuns, TwoStagesOnTheHalvesOfOneGpuArePredictedFromTheirLayers) {
    const double even = measuredTwoStages("1f1b"), gpipe = measuredTwoStages("gpipe"),
                 uneven = measuredTwoStages("uneven");
    EXPECT_NEAR(predictedTwoStages("1f1b", 8), even, 0.06 * even);
    EXPECT_NEAR(predictedTwoStages("gpipe", 8), gpipe, 0.06 * gpipe);
    EXPECT_NEAR(predictedTwoStages("1f1b", 11), uneven, 0.06 * uneven);
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

/// Nothing is calibrated: the shares of the peak were measured on single products.
TEST(MeasuredRuns, IterationsOfLlamaOnB200ArePredictedFromMeasuredEfficiencies) {
    for (const B200Run& measured : b200Runs) {
        const PlanRun run = simulated(measured, 0);
        ASSERT_TRUE(run.ok()) << run.result.reason;
        EXPECT_NEAR(run.iterationTimeS(), measured.seconds, 0.07 * measured.seconds)
            << measured.model << " " << measured.microbatches;
    }
}

/// Transformer Engine keeps a placeholder of 2 bytes a number for the gradient of each shape of weights.
TEST(MeasuredRuns, MemoryOfLlamaOnB200IsPredictedOnceThePlaceholdersAreReserved) {
    constexpr double gib = 1024.0 * 1024 * 1024;
    for (const B200Run& measured : b200Runs) {
        const PlanRun run = simulated(measured, 2 * measured.blockMatrices);
        ASSERT_TRUE(run.ok()) << run.result.reason;
        double most = 0;
        for (const MemoryCurve& curve : run.evaluation->memory) most = std::max(most, curve.peakBytes());
        EXPECT_NEAR(most / gib, measured.allocatedGib, 0.02 * measured.allocatedGib) << measured.model;
    }
}

}  // namespace stagecraft
