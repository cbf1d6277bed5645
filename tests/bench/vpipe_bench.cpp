#include "core/generation/analytic_profile.h"
#include "core/generation/cluster_templates.h"
#include "core/planners/planner.h"
#include "core/planners/vpipe/kernighan_lin.h"
#include "core/planners/vpipe/repartition.h"
#include "core/planners/vpipe/vpipe_planner.h"
#include "tests/support/every_room.h"

#include <benchmark/benchmark.h>

#include <random>

namespace {

using namespace stagecraft;
using namespace stagecraft::planners::vpipe;

/// As AmoebaNet's of Table 4: 4,380 nodes and 5,080 edges, a backbone with blocks whose nodes read one
/// another and some edges from block to block.
LayerGraph amoebaNetLike() {
    std::mt19937 random(20210702);
    constexpr int nodes = 4380, edges = 5080, block = 60;
    std::vector<double> timeS;
    std::vector<GraphEdge> list;
    for (int node = 0; node < nodes; ++node) {
        timeS.push_back(1e-4 * (1 + random() % 9));
        if (node > 0) list.push_back({node - 1, node, 1e5 * (1 + random() % 20)});
    }
    while (static_cast<int>(list.size()) < edges) {
        const int from = static_cast<int>(random() % (nodes - 2 * block));
        const int within = block - 1 - from % block;
        const bool leaves = random() % 20 == 0 || within < 2;
        const int to =
            from + 2 +
            static_cast<int>(random() % static_cast<unsigned>(leaves ? 2 * block - 2 : within - 1));
        list.push_back({from, to, 1e5 * (1 + random() % 20)});
    }
    return layerGraph(std::move(timeS), std::move(list));
}

void BM_VpipeRepartition(benchmark::State& state) {
    const LayerGraph graph = amoebaNetLike();
    std::vector<int> bounds;
    for (auto _ : state) bounds = repartition(graph, 16);
    state.counters["cut_MB"] = cutBytes(graph, partsOf(graph.nodeCount(), bounds)) / 1e6;
    state.counters["coarse_nodes"] = coarsened(graph, 16).graph.nodeCount();
}

void BM_PlainKernighanLin(benchmark::State& state) {
    const LayerGraph graph = amoebaNetLike();
    std::vector<int> parts;
    for (auto _ : state) parts = plainKernighanLin(graph, 16);
    state.counters["cut_MB"] = cutBytes(graph, parts) / 1e6;
}

/// The whole of vPipe's planning of BERT with 96 blocks on 16 GPUs of 11 GB.
void BM_VpipeWhole(benchmark::State& state) {
    Problem problem;
    problem.profile = analyticProfile(network("bert-large", {{"depth", 96}}), *findGpu("RTX-2080-Ti-11GB"),
                                      {.microbatchSize = 6});
    problem.cluster = switchedCluster(
        {.servers = 4, .gpusPerServer = 4, .gpu = *findGpu("RTX-2080-Ti-11GB"), .networkBps = 12.5e9});
    problem.setup.microbatches = 64;
    problem.setup.mode = TrainingMode::asynchronous;
    problem.setup.optimizer = Optimizer::adam;
    const CostModel costs(problem);
    const Planner* planner = findPlanner("vpipe");
    const std::string over = state.range(0) ? "pipedream" : "gpipe";
    for (auto _ : state) {
        const PlanningResult result = runPlanner(*planner, costs, {{"over", over}});
        if (result.status != PlanStatus::ok) state.SkipWithError(result.reason.c_str());
        state.counters["rounds"] = static_cast<double>(result.rounds.size());
    }
}

BENCHMARK(BM_VpipeRepartition)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_PlainKernighanLin)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_VpipeWhole)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
