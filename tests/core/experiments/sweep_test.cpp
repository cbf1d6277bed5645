// Grids, runs of them, shards and the cache: the same bytes however they are run.

#include "core/experiments/content_key.h"
#include "tests/support/every_room.h"
#include "core/experiments/result_cache.h"
#include "core/experiments/results.h"
#include "core/experiments/runner.h"
#include "core/formats/input_error.h"
#include "experiment_fixtures.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>

namespace stagecraft {
namespace {

ExperimentResults run(const std::string& text, int jobs, ResultCache* cache = nullptr, int* made = nullptr) {
    ExperimentResults results;
    results.experiment = readExperiment(text, "e.json", {});
    const Grid grid(results.experiment);
    SweepOptions options;
    options.jobs = jobs;
    options.cache = cache;
    options.done = [&](std::size_t, const CellResult&, bool reused) {
        if (made && !reused) ++*made;
    };
    results.cells = runCells(grid, allCells(grid), options);
    return results;
}

class CacheFile : public ::testing::Test {
protected:
    void SetUp() override { std::filesystem::remove(path); }
    void TearDown() override { std::filesystem::remove(path); }
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("stagecraft_cache_test_" + std::to_string(getpid()));
};

TEST(Grid, PointsAndCoordinatesAreEachOthersInverse) {
    const Grid grid(readExperiment(smallExperiment(), "e.json", {}));
    ASSERT_EQ(grid.pointCount(), 6u);
    std::set<std::vector<std::size_t>> seen;
    for (std::size_t point = 0; point < grid.pointCount(); ++point) {
        EXPECT_EQ(grid.pointAt(grid.coordinates(point)), point);
        EXPECT_TRUE(seen.insert(grid.coordinates(point)).second);
    }
}

TEST(Grid, EachPointsProblemIsTheBaseWithItsValuesInPlace) {
    const Grid grid(readExperiment(smallExperiment(), "e.json", {}));
    for (std::size_t point = 0; point < grid.pointCount(); ++point) {
        const std::vector<std::size_t> at = grid.coordinates(point);
        const Problem problem = grid.problem(point);
        EXPECT_EQ(problem.setup.microbatches, std::vector<int>({2, 4, 8})[at[0]]);
        EXPECT_EQ(problem.cluster.links.front().bandwidthBps, std::vector<double>({1e9, 4e9})[at[1]]);
        EXPECT_EQ(problem.profile.layerCount(), 4);
    }
}

TEST(Grid, AnAxisMayVaryAPlannersParameter) {
    const Grid grid(readExperiment(
        smallExperiment(R"([{"name": "most", "pointer": "/planners/SPP/max_stages", "values": [1, 2]}])"),
        "e.json", {}));
    EXPECT_EQ(std::get<int>(grid.parameters(grid.cellOf(0, 0)).at("max_stages")), 1);
    EXPECT_EQ(std::get<int>(grid.parameters(grid.cellOf(1, 0)).at("max_stages")), 2);
    EXPECT_EQ(std::get<int>(grid.parameters(grid.cellOf(1, 1)).at("max_stages")), 0)
        << "GPipe's own is untouched";
}

TEST(Sweep, AnyNumberOfThreadsGivesTheSameBytes) {
    const std::string alone = writeResults(run(smallExperiment(), 1));
    for (const int jobs : {2, 3, 8}) EXPECT_EQ(writeResults(run(smallExperiment(), jobs)), alone) << jobs;
}

TEST(Sweep, ResultsReadBackAsTheyWereWritten) {
    const std::string text = writeResults(run(smallExperiment(), 2));
    EXPECT_EQ(writeResults(readResults(text, "r.json", {})), text);
}

TEST(Sweep, APointThatIsNoProblemFailsAloneAndSaysWhy) {
    const ExperimentResults results =
        run(smallExperiment(R"([{"name": "M", "pointer": "/setup/microbatches", "values": [0, 4]}])"), 2);
    const Grid grid(results.experiment);
    EXPECT_EQ(results.cells[grid.cellOf(0, 0)].status, CellStatus::failed);
    EXPECT_NE(results.cells[grid.cellOf(0, 0)].reason.find("/base/setup/microbatches"), std::string::npos)
        << results.cells[grid.cellOf(0, 0)].reason;
    EXPECT_EQ(results.cells[grid.cellOf(1, 0)].status, CellStatus::ok);
}

TEST(Sweep, AStoppedRunLeavesTheRestOpen) {
    const Experiment experiment = readExperiment(smallExperiment(), "e.json", {});
    const Grid grid(experiment);
    std::stop_source stop;
    SweepOptions options;
    options.jobs = 1;
    options.stop = stop.get_token();
    int done = 0;
    options.done = [&](std::size_t, const CellResult&, bool) {
        if (++done == 3) stop.request_stop();
    };
    const std::vector<CellResult> cells = runCells(grid, allCells(grid), options);
    EXPECT_EQ(std::count_if(cells.begin(), cells.end(),
                            [](const CellResult& cell) { return cell.status != CellStatus::open; }),
              3);
    EXPECT_FALSE((ExperimentResults{experiment, cells}.complete()));
}

TEST(Shards, DealOutEveryCellOnceAndNoShardIsDearerThanAnotherByMoreThanOneCell) {
    EXPECT_TRUE(rc::check("shards", [] {
        const auto costs = *rc::gen::container<std::vector<double>>(
            rc::gen::map(rc::gen::inRange(0, 1000), [](int cost) { return static_cast<double>(cost); }));
        const int count = *rc::gen::inRange(1, 9);
        std::vector<int> seen(costs.size(), 0);
        std::vector<double> loads;
        for (int shard = 0; shard < count; ++shard) {
            double load = 0;
            for (const std::size_t cell : cellsOfShard(costs, shard, count)) {
                ++seen[cell];
                load += costs[cell];
            }
            loads.push_back(load);
        }
        RC_ASSERT(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
        const double dearest = costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end());
        RC_ASSERT(*std::max_element(loads.begin(), loads.end()) <=
                  *std::min_element(loads.begin(), loads.end()) + dearest);
    }));
}

TEST(EstimatedCost, GrowsAsThePlannerDescribesIt) {
    Problem problem;
    problem.profile.layers.resize(10);
    problem.cluster.devices.resize(4);
    problem.setup.microbatches = 8;
    const auto of = [&](const char* planner) {
        AskedPlanner asked;
        asked.planner = planner;
        return estimatedCost(problem, asked);
    };
    EXPECT_EQ(of("gpipe"), 400 + 4 * 160);
    EXPECT_EQ(of("spp"), 4 * (400 + 160));
    EXPECT_EQ(of("vpipe"), 200 * 400 + 1000 * 160);
    EXPECT_EQ(of("madpipe"), 200 * 400 + 1000 * 160);
    EXPECT_EQ(of("no such planner"), of("gpipe"));
}

TEST(Shards, MergedInAnyOrderAreTheBytesOfTheWholeRun) {
    const std::string whole = writeResults(run(smallExperiment(), 2));
    const Experiment experiment = readExperiment(smallExperiment(), "e.json", {});
    const Grid grid(experiment);
    const std::vector<double> costs = estimatedCosts(grid);
    std::vector<ExperimentResults> parts;
    for (const int shard : {2, 0, 3, 1}) {
        const std::string text = writeResults({experiment, runCells(grid, cellsOfShard(costs, shard, 4))});
        parts.push_back(readResults(text, "part", {}));
        EXPECT_FALSE(parts.back().complete());
    }
    EXPECT_EQ(writeResults(merged(parts, {"a", "b", "c", "d"})), whole);
}

TEST(Shards, OfDifferentExperimentsAreRefused) {
    const ExperimentResults one = run(smallExperiment(), 2);
    ExperimentResults other = one;
    other.experiment.name = "another";
    EXPECT_THROW(merged({one, other}, {"a", "b"}), InputError);
    other = one;
    other.cells[3].metrics["iteration_time_s"] += 1;
    EXPECT_THROW(merged({one, other}, {"a", "b"}), InputError);
}

TEST_F(CacheFile, ChangingOneAxisRunsOnlyWhatIsNew) {
    const std::string axes = R"([{"name": "M", "pointer": "/setup/microbatches", "values": [VALUES]}])";
    const auto with = [&](const std::string& values) {
        return smallExperiment(std::string(axes).replace(axes.find("VALUES"), 6, values));
    };
    int made = 0;
    {
        ResultCache cache(path, "1");
        run(with("2, 4"), 2, &cache, &made);
        EXPECT_EQ(made, 4);
    }
    ResultCache cache(path, "1");
    made = 0;
    const ExperimentResults again = run(with("2, 4, 8"), 2, &cache, &made);
    EXPECT_EQ(made, 2);
    EXPECT_EQ(writeResults(again), writeResults(run(with("2, 4, 8"), 1)));
    ResultCache ofAnotherProgram(path, "2");
    made = 0;
    run(with("2, 4"), 2, &ofAnotherProgram, &made);
    EXPECT_EQ(made, 4);
}

TEST_F(CacheFile, WhatIsKnownCanBeAskedForWithoutRunningAnything) {
    const Grid grid(readExperiment(smallExperiment(), "e.json", {}));
    ResultCache cache(path, "r");
    const std::vector<std::size_t> some = {1, 4, 5};
    SweepOptions options;
    options.cache = &cache;
    runCells(grid, some, options);
    options.knownOnly = true;
    std::vector<std::size_t> told;
    options.jobs = 1;
    options.done = [&](std::size_t cell, const CellResult&, bool reused) {
        EXPECT_TRUE(reused);
        told.push_back(cell);
    };
    const std::vector<CellResult> cells = runCells(grid, allCells(grid), options);
    EXPECT_EQ(told, some);
    for (std::size_t cell = 0; cell < cells.size(); ++cell)
        EXPECT_EQ(cells[cell].status == CellStatus::open,
                  std::find(some.begin(), some.end(), cell) == some.end())
            << cell;
}

TEST_F(CacheFile, WhatIsKnownIsFoundWithoutMakingItsProblem) {
    const std::filesystem::path profile = path.string() + ".profile.json";
    const auto write = [&](const std::string& layer) {
        std::ofstream(profile, std::ios::trunc)
            << R"({"format": "stagecraft/profile", "version": 1, "name": "p", "microbatch_size": 1, "layers": [)"
            << layer << "," << layer << "]}";
    };
    const std::string layer = R"({"name": "l", "forward_s": 0.01, "backward_s": 0.02, "parameter_bytes": 1e6,
                                  "output_bytes": 1e6, "stored_activation_bytes": 1e6})";
    write(layer);
    const std::string text = smallExperiment(R"([{"name": "profile", "pointer": "/profile", "files": [")" +
                                             profile.string() + R"("]},
            {"name": "M", "pointer": "/setup/microbatches", "values": [2, 4, 8]}])");
    const Grid grid(readExperiment(text, "e.json", {}));
    ResultCache cache(path, "r");
    int made = 0;
    run(text, 1, &cache, &made);
    EXPECT_EQ(made, 6);
    const GridRecipes recipes(grid);
    const std::string at = recipes.at(1);
    EXPECT_NE(at, recipes.at(2));
    const std::string content = cache.content(at).value();
    cache.addContent(at, "elsewhere");  // believed as it is: no problem is made to see that it is not so
    SweepOptions options;
    options.cache = &cache;
    options.knownOnly = true;
    EXPECT_EQ(runCells(grid, allCells(grid), options)[2].status, CellStatus::open);
    cache.addContent(at, content);
    EXPECT_EQ(runCells(grid, allCells(grid), options)[2].status, CellStatus::ok);
    // The same after the program was ended; other content of a file makes another problem.
    made = 0;
    run(text, 1, std::make_unique<ResultCache>(path, "r").get(), &made);
    EXPECT_EQ(made, 0);
    write(std::string(layer).replace(layer.find("0.01"), 4, "0.03"));
    EXPECT_NE(GridRecipes(grid).at(1), at);
    run(text, 1, &cache, &made);
    EXPECT_EQ(made, 6);
    std::filesystem::remove(profile);
}

TEST_F(CacheFile, AFileThatWasCutOffAnywhereLosesAtMostItsLastCell) {
    {
        ResultCache cache(path, "1");
        run(smallExperiment(), 1, &cache);
        ASSERT_EQ(cache.size(), 12u);
    }
    std::ifstream in(path, std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(in)), {});
    const std::size_t lastLine = whole.find_last_of('\n', whole.size() - 2) + 1;
    for (std::size_t end = lastLine; end <= whole.size(); end += 7) {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << whole.substr(0, end);
        ResultCache cache(path, "1");
        EXPECT_GE(cache.size(), 11u) << end;
        int made = 0;
        run(smallExperiment(), 1, &cache, &made);
        EXPECT_EQ(made, cache.size() == 12u && end >= whole.size() - 1 ? 0 : 1) << end;
        EXPECT_EQ(ResultCache(path, "1").size(), 12u) << end;
    }
}

}  // namespace
}  // namespace stagecraft
