// Studies: what is done at a point besides planning, and read off one run.

#include "core/planners/planned_run.h"
#include "core/experiments/claims.h"
#include "tests/support/every_room.h"
#include "core/experiments/operator_graph.h"
#include "core/experiments/result_cache.h"
#include "core/experiments/results.h"
#include "core/experiments/runner.h"
#include "core/formats/input_error.h"
#include "core/model/profile_sizes.h"
#include "core/planners/vpipe/changing_network.h"
#include "core/planners/vpipe/vpipe_planner.h"
#include "core/training/training.h"
#include "core/training/training_settings.h"
#include "experiment_fixtures.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace stagecraft {
namespace {

/// The small experiment with a study in its base.
std::string withStudy(const std::string& study, const std::string& axes, const std::string& planners) {
    const std::string text = replaced(smallExperiment(axes), R"("setup": {"microbatches": 4})",
                                      R"("setup": {"microbatches": 4, "mode": "asynchronous"}, )" + study);
    return replaced(text, R"(["spp", {"label": "GPipe", "planner": "gpipe"}])", planners);
}

const char trainingAxes[] = R"([
    {"name": "seed", "pointer": "/training/seed", "seeds": 2},
    {"name": "epoch", "pointer": "/training/at_epoch", "values": [1, 3]}])";
const char trainingPlanners[] = R"([
    {"label": "barrier", "planner": "gpipe", "policy": "synchronous"},
    {"label": "old weights", "planner": "xpipe", "policy": "stashing"}])";
std::string trainingExperiment(const std::string& planners = trainingPlanners) {
    return withStudy(R"("training": {"data": "spirals", "width": 8, "epochs": 3, "target_accuracy": 0.2})",
                     trainingAxes, planners);
}

TEST(TrainingStudies, GiveWhatTheTrainingLabGives) {
    const Grid grid(readExperiment(trainingExperiment(), "e.json", {}));
    const std::vector<CellResult> cells = runCells(grid, allCells(grid));
    const Problem problem = grid.problem(0);
    const PlanRun run = runAndEvaluate(*findPlanner("xpipe"), std::make_shared<const CostModel>(problem),
                                       defaultValues(findPlanner("xpipe")->description().parameters));
    training::TrainingSettings settings =
        training::trainingChoice({{"data", std::string("spirals")}, {"width", 8}, {"epochs", 3}}, 4).settings;
    const auto trained = training::train(
        training::prepareTraining(problem, run.result.plan, training::Policy::stashing, settings), 2);
    // Seed 2, epochs 1 and 3, of the second planner.
    const CellResult& first = cells[grid.cellOf(2, 1)];
    const CellResult& last = cells[grid.cellOf(3, 1)];
    ASSERT_EQ(last.status, CellStatus::ok) << last.reason;
    EXPECT_EQ(first.metric("validation_loss"), trained.epochs[0].validationLoss);
    EXPECT_EQ(last.metric("validation_loss"), trained.epochs[2].validationLoss);
    EXPECT_EQ(last.metric("validation_accuracy"), trained.epochs[2].validationAccuracy);
    EXPECT_EQ(last.metric("best_validation_accuracy"),
              std::max({trained.epochs[0].validationAccuracy, trained.epochs[1].validationAccuracy,
                        trained.epochs[2].validationAccuracy}));
    EXPECT_GE(*last.metric("epochs_to_target"), 1);
    // An epoch is its samples at the rate that the timeline under the policy has.
    const training::PreparedTraining prepared =
        training::prepareTraining(problem, run.result.plan, training::Policy::stashing, settings);
    const double samples = prepared.iterationsPerEpoch * settings.batchSize;
    const double epochS = *last.metric("epoch_s");
    EXPECT_DOUBLE_EQ(epochS, samples / run.evaluation->metrics.throughputSamplesPerS);
    EXPECT_EQ(last.metric("time_s"), 3 * epochS);
    EXPECT_EQ(first.metric("time_s"), epochS);
    EXPECT_EQ(last.metric("time_to_target_s"), *last.metric("epochs_to_target") * epochS);
    EXPECT_GT(*cells[grid.cellOf(3, 0)].metric("epoch_s"), epochS) << "a barrier drains the pipeline";
    EXPECT_NE(cells[grid.cellOf(3, 0)].metrics, last.metrics) << "policies differ";
    EXPECT_NE(cells[grid.cellOf(1, 1)].metrics, last.metrics) << "seeds differ";
}

TEST(TrainingStudies, AreTheSameForAnyNumberOfThreadsAndInShardsThatKeepRunsTogether) {
    const Experiment experiment = readExperiment(trainingExperiment(), "e.json", {});
    const Grid grid(experiment);
    SweepOptions options;
    options.jobs = 3;
    std::vector<std::size_t> told;
    options.done = [&](std::size_t cell, const CellResult&, bool) { told.push_back(cell); };
    const std::string whole = writeResults({experiment, runCells(grid, allCells(grid), options)});
    std::sort(told.begin(), told.end());
    EXPECT_EQ(told, allCells(grid)) << "each is told once";
    const std::vector<double> costs = estimatedCosts(grid);
    std::vector<ExperimentResults> parts;
    for (int shard = 0; shard < 3; ++shard) {
        const std::vector<std::size_t> cells = cellsOfShard(grid, costs, shard, 3);
        for (const std::size_t cell : cells)
            EXPECT_TRUE(std::find(cells.begin(), cells.end(), grid.runOf(cell)) != cells.end()) << cell;
        parts.push_back({experiment, runCells(grid, cells)});
    }
    EXPECT_EQ(writeResults(merged(parts, {"a", "b", "c"})), whole);
}

TEST(TrainingStudies, CountTheCostOfARunOnce) {
    const Grid grid(readExperiment(trainingExperiment(), "e.json", {}));
    const std::vector<double> costs = estimatedCosts(grid);
    ASSERT_EQ(costs.size(), grid.cellCount());
    EXPECT_EQ(std::count_if(costs.begin(), costs.end(), [](double cost) { return cost > 0; }), 4)
        << "two seeds and two planners";
    for (std::size_t cell = 0; cell < costs.size(); ++cell)
        EXPECT_EQ(costs[cell] > 0, grid.runOf(cell) == cell) << cell;
}

TEST(Studies, WhatDoesNotGoTogetherIsRefusedWhereItStands) {
    const auto complaint = [](const std::string& text) -> std::string {
        try {
            const Grid grid(readExperiment(text, "e.json", {}));
            grid.study(0);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(complaint(trainingExperiment(R"(["gpipe"])")).find("policy"), std::string::npos);
    EXPECT_NE(complaint(trainingExperiment(R"([{"planner": "gpipe", "policy": "stahing"}])"))
                  .find("did you mean 'stashing'"),
              std::string::npos)
        << complaint(trainingExperiment(R"([{"planner": "gpipe", "policy": "stahing"}])"));
    EXPECT_NE(complaint(replaced(smallExperiment(), R"({"label": "GPipe", "planner": "gpipe"})",
                                 R"({"planner": "gpipe", "policy": "xpipe"})"))
                  .find("nothing is trained"),
              std::string::npos);
    EXPECT_NE(complaint(replaced(trainingExperiment(), "[1, 3]", "[4]")).find("at_epoch"), std::string::npos);
    EXPECT_NE(complaint(replaced(trainingExperiment(),
                                 "\"training\":", "\"partition\": {\"stages\": 2}, \"training\":"))
                  .find("exclude each other"),
              std::string::npos);
}

TEST(Studies, OneThatGoesWrongTellsWhyInEachOfItsCells) {
    const std::string text =
        withStudy(R"("changes": {"duration_s": 10, "events": []})",
                  R"([{"name": "time", "pointer": "/changes/at_s", "values": [0, 5]}])", R"(["spp"])");
    const Grid grid(readExperiment(text, "e.json", {}));
    for (const CellResult& cell : runCells(grid, allCells(grid))) {
        EXPECT_EQ(cell.status, CellStatus::failed);
        EXPECT_NE(cell.reason.find("vPipe"), std::string::npos) << cell.reason;
    }
}

TEST(ChangeStudies, TheIdealIsNotTakenForAnotherPlannerInTheCache) {
    const std::string text = withStudy(
        R"("changes": {"duration_s": 100, "ideal": ["best"], "events": [{"at_s": 40, "stage": 0, "scale_times": 3}]})",
        R"([{"name": "time", "pointer": "/changes/at_s", "values": [0, 99]}])",
        R"([{"label": "full", "planner": "vpipe"}, {"label": "best", "planner": "vpipe"}])");
    const Grid grid(readExperiment(text, "e.json", {}));
    const std::vector<CellResult> plain = runCells(grid, allCells(grid));
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("stagecraft_ideal_test_" + std::to_string(getpid()));
    {
        ResultCache cache(file, "1");
        SweepOptions options;
        options.cache = &cache;
        options.jobs = 1;
        EXPECT_EQ(runCells(grid, allCells(grid), options), plain) << "filled";
        EXPECT_EQ(runCells(grid, allCells(grid), options), plain) << "read";
    }
    std::filesystem::remove(file);
    EXPECT_NE(plain[grid.cellOf(1, 0)].metrics, plain[grid.cellOf(1, 1)].metrics);
}

TEST(ChangeStudies, GiveWhatHoldsAtTheInstant) {
    const std::string text = withStudy(
        R"("changes": {"duration_s": 100, "ideal": ["best"], "events": [{"at_s": 40, "stage": 0, "scale_times": 3}]})",
        R"([{"name": "time", "pointer": "/changes/at_s", "values": [39.9, 40, 99]}])",
        R"([{"label": "static", "planner": "vpipe", "parameters": {"parts": "none"}}, {"label": "full", "planner": "vpipe"},
            {"label": "best", "planner": "vpipe"}])");
    const Grid grid(readExperiment(text, "e.json", {}));
    const std::vector<CellResult> cells = runCells(grid, allCells(grid));
    const auto points =
        vpipe::changingNetwork(grid.problem(0), grid.study(0).change->script,
                               vpipe::settingsOf(grid.parameters(1), TrainingMode::asynchronous));
    const auto at = [&](std::size_t point, std::size_t planner, const char* metric) {
        return cells[grid.cellOf(point, planner)].metric(metric);
    };
    EXPECT_EQ(at(0, 1, "throughput_samples_per_s"), points[0].full);
    EXPECT_EQ(at(1, 1, "throughput_samples_per_s"), points[1].full);
    EXPECT_EQ(at(2, 1, "throughput_samples_per_s"), points.back().full);
    EXPECT_EQ(at(0, 0, "throughput_samples_per_s"), points[0].staticSystem);
    EXPECT_EQ(at(1, 0, "throughput_samples_per_s"), points[1].staticSystem);
    EXPECT_LT(*at(1, 0, "throughput_samples_per_s"), *at(0, 0, "throughput_samples_per_s"));
    EXPECT_EQ(at(1, 1, "ideal_throughput_samples_per_s"), points[1].ideal);
    EXPECT_EQ(at(1, 2, "throughput_samples_per_s"), points[1].ideal);
    EXPECT_EQ(at(0, 2, "throughput_samples_per_s"), points[0].ideal);
}

TEST(LargestMicrobatchStudies, HalveUntilThePlanFits) {
    // 58 MB at two samples a microbatch, 85 MB at three, 112 MB at four.
    const std::string study = R"("largest_microbatch": true)";
    std::string text = withStudy(
        study, "[]", R"([{"planner": "vpipe", "parameters": {"over": "pipedream", "parts": "none"}}])");
    text = replaced(text, R"("microbatch_size": 1)",
                    R"("microbatch_size": 8, "scale": {"activations": 8, "outputs": 8})");
    text = replaced(text, R"("cluster": {)", R"("cluster": {"memory_bytes": 1e8, )");
    const Grid grid(readExperiment(text, "e.json", {}));
    const CellResult cell = runCells(grid, allCells(grid)).front();
    ASSERT_EQ(cell.status, CellStatus::ok) << cell.reason;
    const int size = static_cast<int>(*cell.metric("microbatch_size"));
    EXPECT_EQ(size, 2);
    EXPECT_LE(*cell.metric("peak_memory_bytes"), 1e8);
    const PlanRun run = runOfCell(grid, 0);
    EXPECT_EQ(run.costs->problem().profile.microbatchSize, size) << "a cell opens the plan that it tells of";
    EXPECT_EQ(run.microbatchesAsked, 4 * 8 / size) << "as many samples as before";
    Problem twice = grid.problem(0);
    twice.profile = profileAtSize(twice.profile, 2 * size);
    twice.setup.microbatches = 4 * 8 / (2 * size);
    const PlanRun larger =
        runAndEvaluate(*findPlanner("vpipe"), std::make_shared<const CostModel>(twice), grid.parameters(0));
    EXPECT_TRUE(!larger.ok() || !larger.evaluation->metrics.fitsMemory);
}

TEST(LargestMicrobatchStudies, TrainThroughThePlanThatFits) {
    const std::string study =
        R"("largest_microbatch": true, "training": {"data": "spirals", "width": 8, "epochs": 1})";
    std::string text = withStudy(study, "[]", R"([{"planner": "vpipe", "policy": "stashing",
        "parameters": {"over": "pipedream", "parts": "none"}}])");
    text = replaced(text, R"("microbatch_size": 1)",
                    R"("microbatch_size": 8, "scale": {"activations": 8, "outputs": 8})");
    text = replaced(text, R"("cluster": {)", R"("cluster": {"memory_bytes": 1e8, )");
    const Grid grid(readExperiment(text, "e.json", {}));
    const CellResult cell = runCells(grid, allCells(grid)).front();
    ASSERT_EQ(cell.status, CellStatus::ok) << cell.reason;
    const PlanRun run = runOfCell(grid, 0);
    EXPECT_EQ(run.costs->problem().profile.microbatchSize, 2);
    const auto settings = training::trainingChoice(grid.study(0).training->values, 16).settings;
    const auto prepared = training::prepareTraining(run.costs->problem(), run.result.plan,
                                                    training::Policy::stashing, settings);
    const double samples = prepared.iterationsPerEpoch * settings.batchSize;
    EXPECT_DOUBLE_EQ(*cell.metric("epoch_s"), samples / run.evaluation->metrics.throughputSamplesPerS);
}

TEST(PartitionStudies, DivideLayersIntoChainsWithEdgesAroundTheirStretches) {
    const Problem problem = Grid(readExperiment(smallExperiment(), "e.json", {})).problem(0);
    const vpipe::LayerGraph graph = operatorGraph(problem, 6, 2);
    EXPECT_EQ(graph.nodeCount(), 24);
    EXPECT_EQ(graph.edges.size(), 4u * (5 + 2) + 3) << "chains, two skips a layer, and between layers";
    EXPECT_NEAR(graph.timeS[7], 0.03 / 6, 1e-15);
    const OperatorPartition split = operatorPartition(graph, 4, false);
    const OperatorPartition plain = operatorPartition(graph, 4, true);
    EXPECT_EQ(plain.nodes, 24);
    EXPECT_LT(split.nodes, 24);
    EXPECT_EQ(split.cutBytes, 3e6) << "between layers one edge of 1 MB is cut";
    EXPECT_NEAR(split.slowestOverMean, 1, 1e-9);
}

TEST(Recipes, DepthGrowsByAFactorThatMakesItWhole) {
    const auto depthOf = [](const std::string& factor) {
        const std::string text =
            R"({"format": "stagecraft/experiment", "version": 1, "name": "deep", "base": {"profile": {"generate":
            "bert-large", "parameters": {"depth": 4, "microbatch_size": 1}, "depth_factor": )" +
            factor + R"(}, "cluster": {"template": "switched"}, "setup": {"microbatches": 1}},
            "axes": [], "planners": ["gpipe"]})";
        return Grid(readExperiment(text, "e.json", {})).problem(0).profile.layerCount();
    };
    EXPECT_EQ(depthOf("2") - depthOf("1"), 4);
    EXPECT_EQ(depthOf("1") - depthOf("0.5"), 2);
    EXPECT_THROW(depthOf("0.3"), InputError);
}

TEST(Recipes, GranularityIsAFieldOfEveryProfileThatHasAGraph) {
    const auto layersOf = [](const std::string& profile) {
        const std::string text =
            R"({"format": "stagecraft/experiment", "version": 1, "name": "fine", "base": {"profile": {)" +
            profile +
            R"(}, "cluster": {"template": "switched"}, "setup": {"microbatches": 1}}, "axes": [],
            "planners": ["gpipe"]})";
        return Grid(readExperiment(text, "e.json", STAGECRAFT_SOURCE_DIR)).problem(0).profile.layerCount();
    };
    const std::string bert = R"("generate": "bert-large", "parameters": {"depth": 4, "microbatch_size": 1})";
    EXPECT_EQ(layersOf(bert + R"(, "granularity": "layers")"), layersOf(bert));
    EXPECT_GT(layersOf(bert + R"(, "granularity": "finest")"), 4 * 10);
    EXPECT_THROW(layersOf(bert + R"(, "granularity": "fine")"), InputError);
    const std::string file = R"("file": "samples/profiles/resnet-152.profile.json")";
    EXPECT_GT(layersOf(file + R"(, "granularity": "finest")"), layersOf(file));
    const std::string layersAlone = R"("file": "samples/profiles/bert-48.profile.json")";
    EXPECT_EQ(layersOf(layersAlone + R"(, "granularity": "layers")"), 51);
    EXPECT_THROW(layersOf(layersAlone + R"(, "granularity": "finest")"), InputError);
}

TEST(Claims, ADifferenceTakesTheOtherAway) {
    const std::string claim = R"([{"text": "t", "kind": "difference", "planner": "SPP", "against": "GPipe",
        "aggregate": "mean", "at_least": 0.2, "at_most": 0.3}])";
    const Grid grid(readExperiment(
        smallExperiment(R"([{"name": "M", "pointer": "/setup/microbatches", "values": [2, 4]}])", claim),
        "e.json", {}));
    std::vector<CellResult> cells;
    for (const double seconds : {1.0, 0.5, 2.0, 2.0})
        cells.push_back({CellStatus::ok, "", {{"iteration_time_s", seconds}}});
    const Judgement judgement = judge(grid, cells, grid.experiment().claims.front());
    EXPECT_EQ(judgement.verdict, Verdict::holds);
    EXPECT_DOUBLE_EQ(judgement.number, 0.25);
}

}  // namespace
}  // namespace stagecraft
