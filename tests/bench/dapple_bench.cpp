#include "core/generation/cluster_templates.h"
#include "core/planners/dapple/split_search.h"
#include "tests/support/every_room.h"

#include <benchmark/benchmark.h>

#include <random>

namespace {

using namespace stagecraft;

void split(benchmark::State& state, DappleFormula formula) {
    std::mt19937 random(20210227);
    const auto upTo = [&](unsigned most) { return static_cast<double>(1 + random() % most); };
    Problem problem;
    for (int layer = 0; layer < state.range(0); ++layer) {
        const double bytes = upTo(100) * 1e5;
        problem.profile.layers.push_back(Layer{"layer" + std::to_string(layer), upTo(100) * 1e-5,
                                               upTo(200) * 1e-5, upTo(100) * 1e5, bytes, bytes, bytes});
    }
    SwitchedClusterSpec spec;
    spec.servers = static_cast<int>(state.range(1)) / 4;
    spec.gpusPerServer = 4;
    spec.gpu = *findGpu("V100-SXM2-16GB");
    spec.networkBps = 3e9;
    problem.cluster = switchedCluster(spec);
    problem.setup.microbatches = 32;
    const CostModel costs(problem);
    const std::vector<DapplePlacement> placements = {
        DapplePlacement::freshFirst, DapplePlacement::appendFirst, DapplePlacement::scatterFirst};
    for (auto _ : state) benchmark::DoNotOptimize(dappleSplit(costs, formula, placements, {}));
}

BENCHMARK_CAPTURE(split, paper, DappleFormula::paper)->Args({100, 32})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(split, released, DappleFormula::released)->Args({100, 32})->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
