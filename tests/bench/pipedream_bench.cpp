#include "core/planners/pipedream/levels.h"
#include "core/planners/planner.h"
#include "tests/support/every_room.h"

#include "core/graph/grouping.h"

#include <benchmark/benchmark.h>

#include <random>

namespace {

using namespace stagecraft;

/// A chain of `nodes` operators with connections that skip some, grouped into about `layers` layers.
LayerProfile network(int nodes, int layers) {
    std::mt19937 random(20190101);
    const auto upTo = [&](unsigned most) { return static_cast<double>(1 + random() % most); };
    LayerProfile profile;
    NetworkGraph& graph = profile.operators;
    std::vector<int> cuts;
    const int each = nodes / layers;
    for (int node = 0; node < nodes; ++node) {
        Layer layer;
        layer.name = "node" + std::to_string(node);
        layer.forwardS = upTo(100) * 1e-5;
        layer.backwardS = upTo(200) * 1e-5;
        layer.parameterBytes = upTo(100) * 1e4;
        layer.outputBytes = layer.outputGradientBytes = upTo(100) * 1e4;
        graph.nodes.push_back(layer);
        graph.layerOf.push_back(0);
        if (node > 0) graph.edges.push_back({node - 1, node});
        if (node % each > 2) graph.edges.push_back({node - 2, node});
        if (node % each == each - 1) cuts.push_back(node);
    }
    groupOperators(profile, cuts);
    return profile;
}

/// `racks` of `servers` of `gpus`.
Cluster cluster(int gpus, int servers, int racks) {
    Cluster made;
    const int count = gpus * servers * racks;
    for (int gpu = 0; gpu < count; ++gpu)
        made.devices.push_back(
            {"d" + std::to_string(gpu), "s" + std::to_string(gpu / gpus), "", 3.2e10, 1, 0});
    for (int server = 0; server < servers * racks; ++server)
        made.switches.push_back({"n" + std::to_string(server)});
    for (int rack = 0; rack < racks; ++rack) made.switches.push_back({"r" + std::to_string(rack)});
    made.switches.push_back({"core"});
    for (int gpu = 0; gpu < count; ++gpu)
        made.links.push_back({"d" + std::to_string(gpu), "n" + std::to_string(gpu / gpus), 5e10, 0, ""});
    for (int server = 0; server < servers * racks; ++server)
        made.links.push_back(
            {"n" + std::to_string(server), "r" + std::to_string(server / servers), 1e10, 0, ""});
    for (int rack = 0; rack < racks; ++rack)
        made.links.push_back({"r" + std::to_string(rack), "core", 2e9, 0, ""});
    return made;
}

/// 10,000 nodes in 200 layers, 128 GPUs in racks of servers.
void BM_PipeDreamOnThreeLevels(benchmark::State& state, const char* variant) {
    Problem problem;
    problem.profile = network(10000, 200);
    problem.cluster = cluster(8, 4, 4);
    problem.setup.mode = TrainingMode::asynchronous;
    problem.setup.microbatches = 32;
    const CostModel costs(problem);
    const Planner* planner = findPlanner("pipedream");
    for (auto _ : state) {
        const PlanningResult result = runPlanner(
            *planner, costs, {{"levels", std::string("automatic")}, {"variant", std::string(variant)}});
        if (result.status != PlanStatus::ok) state.SkipWithError(result.reason.c_str());
        state.counters["stages"] = result.plan.stageCount();
    }
    state.counters["levels"] = static_cast<double>(automaticMachines(costs).levels.size());
    state.counters["layers"] = costs.layerCount();
}
BENCHMARK_CAPTURE(BM_PipeDreamOnThreeLevels, paper, "paper")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_PipeDreamOnThreeLevels, released, "released")->Unit(benchmark::kMillisecond);

/// Layers, racks of 4 servers of 8 GPUs.
void BM_PipeDreamFlat(benchmark::State& state) {
    Problem problem;
    problem.profile = network(10000, static_cast<int>(state.range(0)));
    problem.cluster = cluster(8, 4, static_cast<int>(state.range(1)));
    problem.setup.mode = TrainingMode::asynchronous;
    const CostModel costs(problem);
    const Planner* planner = findPlanner("pipedream");
    for (auto _ : state) benchmark::DoNotOptimize(runPlanner(*planner, costs, {}));
}
BENCHMARK(BM_PipeDreamFlat)->Args({200, 4})->Args({98, 32})->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
