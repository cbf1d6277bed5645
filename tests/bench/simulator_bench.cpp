// Blocks a second of the simulator. Run: ./dev bench simulator
#include "core/runs/chosen_schedule.h"
#include "core/planners/planner.h"
#include "core/schedules/families.h"
#include "core/simulation/build_graph.h"
#include "core/simulation/event_loop.h"
#include "core/simulation/fixed_order_run.h"
#include "core/simulation/simulator.h"
#include "tests/support/every_room.h"

#include <benchmark/benchmark.h>

#include <string>

using namespace stagecraft;

namespace {

Problem chain(int stages, int microbatches, double unitS = 1) {
    Problem problem;
    for (int stage = 0; stage < stages; ++stage) {
        problem.profile.layers.push_back(
            {"layer", unitS * (1.0 + stage % 3), unitS * 2.0, 0, 1e9, 1e9, 0, unitS});
        const std::string id = std::to_string(stage);
        problem.cluster.devices.push_back({id, "s", "", 1e9, 1, 1e9});
        if (stage > 0) problem.cluster.links.push_back({std::to_string(stage - 1), id, 2e9 / unitS, 0, ""});
    }
    problem.setup.microbatches = microbatches;
    return problem;
}

void countBlocks(benchmark::State& state, std::uint32_t blocks) {
    state.counters["blocks"] = blocks;
    state.counters["blocks_per_second"] =
        benchmark::Counter(blocks, benchmark::Counter::kIsIterationInvariantRate);
}

/// @param unitS of all durations, in which their sums are exact or not
void simulateChain(benchmark::State& state, const char* policy, double unitS = 1) {
    const int stages = static_cast<int>(state.range(0));
    const CostModel costs(chain(stages, static_cast<int>(state.range(1)), unitS));
    Plan plan;
    plan.schedule.order = FamilySchedule{policy, {}};
    for (int stage = 0; stage < stages; ++stage) plan.stages.push_back({stage, stage, {stage}});
    std::uint32_t blocks = 0;
    for (auto _ : state) {
        const Timeline timeline = simulate(costs, plan);
        blocks = timeline.blockCount();
        benchmark::DoNotOptimize(timeline.endS.data());
    }
    countBlocks(state, blocks);
}

struct Scheduled {
    CostModel costs;
    Plan plan;
};

/// `chunks` stages of equal layers on each device.
Scheduled scheduled(const char* family, int devices, int chunks, int microbatches) {
    Problem problem = chain(devices * chunks, microbatches);
    for (Layer& layer : problem.profile.layers) layer.parameterBytes = 1e9;
    problem.cluster.devices.resize(static_cast<std::size_t>(devices));
    problem.cluster.links.resize(static_cast<std::size_t>(devices) - 1);
    problem.cluster.links.push_back({std::to_string(devices - 1), "0", 2e9, 0, ""});
    CostModel costs(std::move(problem));
    const ScheduleFamily& chosen = *findScheduleFamily(family);
    ParameterValues values = defaultValues(settingsOf(chosen));
    if (values.contains("chunks")) values["chunks"] = chunks;
    Plan plan = equalLayersUnder(costs, chosen, values);
    return {std::move(costs), std::move(plan)};
}

/// On 32 devices; orders are lowered along with each simulation.
void simulateFamily(benchmark::State& state, const char* family, int chunks) {
    const Scheduled made = scheduled(family, 32, chunks, static_cast<int>(state.range(0)));
    std::uint32_t blocks = 0;
    for (auto _ : state) {
        const Timeline timeline = simulate(made.costs, made.plan);
        blocks = timeline.blockCount();
        benchmark::DoNotOptimize(timeline.endS.data());
    }
    countBlocks(state, blocks);
}

/// The run where orders are fixed against the loop of events, each with the graph that it runs: what keeping
/// both of them is worth.
enum class Engine { fixedOrder, events };
void runEngine(benchmark::State& state, Engine engine, const char* family, int chunks) {
    const Scheduled made =
        scheduled(family, static_cast<int>(state.range(0)), chunks, static_cast<int>(state.range(1)));
    std::uint32_t blocks = 0;
    for (auto _ : state) {
        ExecutionGraph graph = buildExecutionGraph(made.costs, made.plan, 1);
        std::optional<Timeline> timeline;
        if (engine == Engine::fixedOrder) {
            FixedOrderRun run(graph, {});
            if (run.applies()) timeline = run.run();
        } else {
            timeline = EventLoop(std::move(graph), {}).run();
        }
        if (!timeline) return state.SkipWithError("its orders are not fixed");
        blocks = timeline->blockCount();
        benchmark::DoNotOptimize(timeline->endS.data());
    }
    countBlocks(state, blocks);
}

#define STAGECRAFT_BOTH_ENGINES(NAME, FAMILY, CHUNKS)                              \
    BENCHMARK_CAPTURE(runEngine, NAME##_fixed, Engine::fixedOrder, FAMILY, CHUNKS) \
        ->Args({8, 64})                                                            \
        ->Args({32, 512})                                                          \
        ->Unit(benchmark::kMicrosecond);                                           \
    BENCHMARK_CAPTURE(runEngine, NAME##_events, Engine::events, FAMILY, CHUNKS)    \
        ->Args({8, 64})                                                            \
        ->Args({32, 512})                                                          \
        ->Unit(benchmark::kMicrosecond)
STAGECRAFT_BOTH_ENGINES(gpipe, "gpipe", 1);
STAGECRAFT_BOTH_ENGINES(one_forward_one_backward, "1f1b", 1);
STAGECRAFT_BOTH_ENGINES(interleaved, "interleaved", 2);
STAGECRAFT_BOTH_ENGINES(zb_h1, "zb-h1", 1);
STAGECRAFT_BOTH_ENGINES(zb_v, "zb-v", 2);
STAGECRAFT_BOTH_ENGINES(chimera, "chimera", 1);
#undef STAGECRAFT_BOTH_ENGINES

BENCHMARK_CAPTURE(simulateFamily, one_forward_one_backward, "1f1b", 1)
    ->Arg(80000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulateFamily, interleaved, "interleaved", 2)->Arg(40000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulateFamily, zb_h1, "zb-h1", 1)->Arg(60000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulateFamily, zb_v, "zb-v", 2)->Arg(30000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulateFamily, breadth_first, "breadth-first", 2)
    ->Arg(40000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulateFamily, chimera, "chimera", 1)->Arg(80000)->Unit(benchmark::kMillisecond);

/// Eight copies of four stages, a stage's on one server, whose NIC they share, each copy at a speed of its
/// own: about a million blocks, of which each transfer meets others.
void simulateCopiesBehindNics(benchmark::State& state, LinkSharing network) {
    constexpr int copies = 8, stages = 4;
    Problem problem = chain(stages, static_cast<int>(state.range(0)));
    problem.cluster = {};
    problem.setup.network = network;
    Plan plan;
    plan.schedule.order = FamilySchedule{"1f1b", {}};
    for (int server = 0; server < stages; ++server) {
        const std::string name = "s" + std::to_string(server);
        problem.cluster.switches.push_back({name, name});
        for (int copy = 0; copy < copies; ++copy) {
            const std::string id = name + "g" + std::to_string(copy);
            problem.cluster.devices.push_back({id, name, "", 1e9, 1 - 0.013 * copy, 1e9});
            problem.cluster.links.push_back({id, name, 1e10, 0, ""});
        }
        if (server > 0) problem.cluster.links.push_back({"s" + std::to_string(server - 1), name, 4e9, 0, ""});
    }
    for (int copy = 0; copy < copies; ++copy)
        for (int stage = 0; stage < stages; ++stage)
            plan.stages.push_back({stage, stage, {stage * copies + copy}, copy});
    const CostModel costs(problem);
    std::uint32_t blocks = 0;
    std::size_t slowed = 0;
    for (auto _ : state) {
        const Timeline timeline = simulate(costs, plan);
        blocks = timeline.blockCount();
        slowed = timeline.sharedRuns.size();
        benchmark::DoNotOptimize(timeline.endS.data());
    }
    countBlocks(state, blocks);
    state.counters["slowed"] = static_cast<double>(slowed);
}
BENCHMARK_CAPTURE(simulateCopiesBehindNics, independent, LinkSharing::independent)
    ->Arg(72000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulateCopiesBehindNics, shared, LinkSharing::shared)
    ->Arg(72000)
    ->Unit(benchmark::kMillisecond);

/// Orders of families that search, for 16 devices and 64 microbatches.
void searchOrders(benchmark::State& state, const char* family) {
    constexpr int devices = 16;
    const ScheduleFamily& chosen = *findScheduleFamily(family);
    ScheduleShape shape{.ranks = devices, .microbatches = 64};
    const int stages = chosen.placement == Placement::onePerRank ? devices : 2 * devices;
    for (int stage = 0; stage < stages; ++stage) {
        shape.rankOf.push_back(expectedRank(stage, devices, chosen.placement));
        shape.pipelineOf.push_back(0);
        shape.times.push_back({10.0 + stage % 3, 12, 9, 0.5, 0.5});
    }
    for (auto _ : state) benchmark::DoNotOptimize(chosen.deviceOrders(shape, {}));
}

BENCHMARK_CAPTURE(searchOrders, zb_search, "zb-search")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searchOrders, v_half, "v-half")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searchOrders, v_min, "v-min")->Unit(benchmark::kMillisecond);

/// The planner that tries all schedules, for 100 layers on 32 devices.
void bestSchedule(benchmark::State& state) {
    Problem problem = chain(100, 64);
    problem.cluster.devices.resize(32);
    problem.cluster.links.resize(31);
    const CostModel costs(std::move(problem));
    const Planner& planner = *findPlanner("schedule");
    const ParameterValues values = defaultValues(planner.description().parameters);
    for (auto _ : state) benchmark::DoNotOptimize(planner.plan(costs, values, {}));
}
BENCHMARK(bestSchedule)->Unit(benchmark::kMillisecond);

BENCHMARK_CAPTURE(simulateChain, one_forward_one_backward, "1f1b")
    ->Args({32, 512})
    ->Args({128, 1024})
    ->Args({32, 80000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulateChain, one_forward_one_backward_rounding, "1f1b", 1e-3 / 7)
    ->Args({32, 512})
    ->Args({32, 80000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulateChain, pipeline_execution, "pe")->Args({32, 512})->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
