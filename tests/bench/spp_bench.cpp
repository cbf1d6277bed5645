#include "core/planners/planner.h"
#include "core/planners/spp/device_order.h"
#include "core/planners/spp/partition_table.h"
#include "tests/support/every_room.h"

#include <benchmark/benchmark.h>

#include <random>

namespace {

using namespace stagecraft;

/// SPP Sec. V-B's setting at any size: servers of 4 devices, 3 in 8 of them on PCIe, the rest on NVLink,
/// bandwidths drawn in the paper's ranges (whole Gbit/s) from a fixed seed; a BERT-like chain, first and last
/// layers unlike the rest.
Problem defaultSetting(int layers, int devices) {
    std::mt19937 generator(20220501);
    const auto gigabits = [&](unsigned low, unsigned high) {
        return (low + generator() % (high - low + 1)) * 1.25e8;
    };
    Problem problem;
    for (int l = 0; l < layers; ++l) {
        const bool inner = l > 0 && l + 2 < layers;
        Layer layer;
        layer.name = "layer " + std::to_string(l);
        layer.forwardS = inner ? 5.6e-3 : 6e-4;
        layer.backwardS = 2 * layer.forwardS;
        layer.parameterBytes = inner ? 50384896 : 127131648;
        layer.outputBytes = layer.outputGradientBytes = layer.storedActivationBytes = 9437184;
        problem.profile.layers.push_back(layer);
    }
    const auto id = [](int device) { return "d" + std::to_string(device); };
    for (int device = 0; device < devices; ++device)
        problem.cluster.devices.push_back(
            {id(device), "s" + std::to_string(device / 4), "V100", 1.6e10, 1, 0});
    const int servers = (devices + 3) / 4;
    for (int a = 0; a < servers; ++a)
        for (int b = 0; b <= a; ++b) {
            const double bandwidth = a != b      ? gigabits(32, 40)
                                     : a % 8 < 3 ? gigabits(96, 128)
                                                 : gigabits(160, 200);
            for (int x = 4 * a; x < std::min(4 * a + 4, devices); ++x)
                for (int y = 4 * b; y < std::min(4 * b + 4, x); ++y)
                    problem.cluster.links.push_back({id(x), id(y), bandwidth, 0, "drawn"});
        }
    problem.setup.microbatches = 32;
    return problem;
}

const CostModel& costsOf(int layers, int devices) {
    static std::map<std::pair<int, int>, CostModel> made;
    const auto found = made.find({layers, devices});
    if (found != made.end()) return found->second;
    return made.emplace(std::pair{layers, devices}, CostModel(defaultSetting(layers, devices))).first->second;
}

const CostModel& costsOf(const benchmark::State& state) {
    return costsOf(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
}

void BM_SppWhole(benchmark::State& state) {
    const CostModel& costs = costsOf(state);
    const Planner* planner = findPlanner("spp");
    for (auto _ : state) {
        const PlanningResult result = runPlanner(*planner, costs, {});
        state.counters["T_SPP"] = result.attempts[result.plan.stages.size() - 1].iterationTimeS;
        state.counters["stages"] = result.plan.stageCount();
    }
}

void BM_Rdo(benchmark::State& state) {
    const CostModel& costs = costsOf(state);
    for (auto _ : state) benchmark::DoNotOptimize(recursiveDeviceOrder(bandwidthGraph(costs.interconnect())));
}

void BM_Prm(benchmark::State& state) {
    const CostModel& costs = costsOf(state);
    const std::vector<int> order = recursiveDeviceOrder(bandwidthGraph(costs.interconnect()));
    for (auto _ : state) {
        const PartitionTable table(costs, order, costs.deviceCount(), {}, PartitionTable::Extent::partitions);
        benchmark::DoNotOptimize(table.best(table.maxStages()));
    }
}

void BM_PrmTraceback(benchmark::State& state) {
    const CostModel& costs = costsOf(state);
    const PartitionTable table(costs, recursiveDeviceOrder(bandwidthGraph(costs.interconnect())),
                               costs.deviceCount(), {}, PartitionTable::Extent::partitions);
    for (auto _ : state)
        for (int stages = 1; stages <= table.maxStages(); ++stages)
            benchmark::DoNotOptimize(table.partition(stages));
}

void sizes(benchmark::internal::Benchmark* bench) {
    bench->Args({27, 32})->Args({100, 64})->Args({200, 128})->Args({98, 1024})->Unit(benchmark::kMillisecond);
}
BENCHMARK(BM_SppWhole)->Apply(sizes);
BENCHMARK(BM_Rdo)->Apply(sizes);
BENCHMARK(BM_Prm)->Apply(sizes);
BENCHMARK(BM_PrmTraceback)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
