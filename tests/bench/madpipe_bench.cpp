#include "core/generation/cluster_templates.h"
#include "tests/support/every_room.h"
#include "core/generation/generated_profile.h"
#include "core/planners/madpipe/contiguous.h"
#include "core/planners/madpipe/madpipe.h"
#include "core/planners/madpipe/pareto.h"

#include <benchmark/benchmark.h>

namespace {

using namespace stagecraft;

constexpr const char* networks[] = {"resnet-50", "resnet-101", "inception-v3", "densenet-121"};

/// MadPipe Sec. 5.1: images of 1000 by 1000, batches of 8, P = 8 at 12 GB/s. Chains as the zoo groups them: a
/// layer wherever a single tensor crosses.
const Problem& paperProblem(int network) {
    static std::map<int, Problem> made;
    const auto [found, isNew] = made.try_emplace(network);
    if (!isNew) return found->second;
    Problem& problem = found->second;
    problem.profile = generatedProfile(networks[network], {{"image_size", 1000}, {"microbatch_size", 8}});
    problem.cluster =
        switchedCluster({.gpusPerServer = 8, .gpu = *findGpu("V100-SXM2-16GB"), .intraServerBps = 12e9});
    problem.setup = {.microbatches = 8, .mode = TrainingMode::asynchronous};
    return problem;
}

/// Algorithm 1 with 10 steps at 11 x 51 x 101.
void BM_FirstPhase(benchmark::State& state) {
    const MadPipeChain chain = madPipeChain(CostModel(paperProblem(static_cast<int>(state.range(0)))));
    const double memoryBytes = static_cast<double>(state.range(1)) * 1e9;
    for (auto _ : state) {
        const PeriodSearch search = searchPeriod(chain, 8, memoryBytes, {}, 10);
        state.counters["period_ms"] = search.periodS * 1e3;
    }
    state.counters["links"] = chain.links();
    state.SetLabel(networks[state.range(0)]);
}

/// Both phases, with every allocation that is tried.
void BM_Whole(benchmark::State& state) {
    Problem problem = paperProblem(static_cast<int>(state.range(0)));
    problem.setup.memoryLimitBytes = static_cast<double>(state.range(1)) * 1e9;
    const CostModel costs(problem);
    for (auto _ : state) {
        const MadPipeOutcome outcome = planMadPipe(costs, {});
        state.counters["period_ms"] = outcome.periodS * 1e3;
        state.counters["proven"] = outcome.proven;
    }
    state.SetLabel(networks[state.range(0)]);
}

void BM_BestContiguous(benchmark::State& state) {
    const MadPipeChain chain = madPipeChain(CostModel(paperProblem(static_cast<int>(state.range(0)))));
    for (auto _ : state)
        benchmark::DoNotOptimize(fastestPartition(chain, 8, static_cast<double>(state.range(1)) * 1e9));
    state.SetLabel(networks[state.range(0)]);
}

void BM_ContiguousPareto(benchmark::State& state) {
    const CostModel costs(paperProblem(static_cast<int>(state.range(0))));
    ParetoOptions options;
    options.plans.stages = MadPipeStages::contiguous;
    for (auto _ : state) state.counters["points"] = static_cast<double>(paretoCurve(costs, options).size());
    state.SetLabel(networks[state.range(0)]);
}

void cells(benchmark::internal::Benchmark* bench) {
    for (int network = 0; network < 4; ++network)
        for (const int gigabytes : {4, 8, 16}) bench->Args({network, gigabytes});
    bench->Unit(benchmark::kMillisecond);
}
BENCHMARK(BM_FirstPhase)->Apply(cells);
BENCHMARK(BM_Whole)->Apply(cells);
BENCHMARK(BM_BestContiguous)->Apply(cells);
BENCHMARK(BM_ContiguousPareto)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
