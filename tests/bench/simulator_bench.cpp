// Blocks a second of the simulator. Run: ./dev bench simulator
#include "core/simulation/simulator.h"
#include "tests/support/every_room.h"

#include <benchmark/benchmark.h>

#include <string>

using namespace stagecraft;

namespace {

Problem chain(int stages, int microbatches) {
    Problem problem;
    for (int stage = 0; stage < stages; ++stage) {
        problem.profile.layers.push_back({"layer", 1.0 + stage % 3, 2.0, 0, 1e9, 1e9, 0, 1.0});
        const std::string id = std::to_string(stage);
        problem.cluster.devices.push_back({id, "s", "", 1e9, 1, 1e9});
        if (stage > 0) problem.cluster.links.push_back({std::to_string(stage - 1), id, 2e9, 0, ""});
    }
    problem.setup.microbatches = microbatches;
    return problem;
}

void simulateChain(benchmark::State& state, const char* policy) {
    const int stages = static_cast<int>(state.range(0));
    const CostModel costs(chain(stages, static_cast<int>(state.range(1))));
    Plan plan;
    plan.schedule.order = PolicySchedule{policy, {}};
    for (int stage = 0; stage < stages; ++stage) plan.stages.push_back({stage, stage, {stage}});
    std::uint32_t blocks = 0;
    for (auto _ : state) {
        const Timeline timeline = simulate(costs, plan);
        blocks = timeline.blockCount();
        benchmark::DoNotOptimize(timeline.endS.data());
    }
    state.counters["blocks"] = blocks;
    state.counters["blocks_per_second"] =
        benchmark::Counter(blocks, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

BENCHMARK_CAPTURE(simulateChain, one_forward_one_backward, "1f1b")
    ->Args({32, 512})
    ->Args({128, 1024})
    ->Args({32, 80000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulateChain, pipeline_execution, "pe")->Args({32, 512})->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
