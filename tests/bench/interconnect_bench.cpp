#include "core/cost/interconnect.h"
#include "tests/support/every_room.h"
#include "core/generation/cluster_templates.h"
#include "core/generation/template_catalogue.h"
#include "core/planners/spp/device_order.h"

#include <benchmark/benchmark.h>

#include <map>
#include <numeric>

namespace {

using namespace stagecraft;

Cluster made(const char* id, const std::vector<std::string>& assignments) {
    const ClusterTemplate& chosen = *findClusterTemplate(id);
    ParameterValues values = defaultValues(chosen.parameters);
    for (const std::string& assignment : assignments) setParameter(chosen.parameters, values, assignment);
    return chosen.make(values);
}

/// 1,024 GPUs on 128 servers, in the shapes that differ most: few links with and without latency, NVLink
/// meshes above PCIe, and a link for every pair.
const Cluster& large(int shape) {
    static const Cluster clusters[] = {
        made("fat-tree", {"servers=128", "gpus_per_server=8", "servers_per_leaf=16"}),
        made("fat-tree", {"servers=128", "gpus_per_server=8", "servers_per_leaf=16", "inside=cube-mesh",
                          "network_latency=5 us"}),
        made("random", {"servers=128", "gpus_per_server=8"}), [] {
            Cluster cluster = made("random", {"servers=128", "gpus_per_server=8"});
            for (std::size_t link = 0; link < cluster.links.size(); ++link)
                cluster.links[link].latencyS = 1e-6 * static_cast<double>(1 + link % 7);
            return cluster;
        }()};
    return clusters[shape];
}

void BM_Interconnect(benchmark::State& state) {
    const Cluster& cluster = large(static_cast<int>(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(Interconnect(cluster).bandwidthBps(0, 1023));
}
BENCHMARK(BM_Interconnect)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

void BM_Path(benchmark::State& state) {
    const Interconnect interconnect(large(static_cast<int>(state.range(0))));
    for (auto _ : state) benchmark::DoNotOptimize(interconnect.path(3, 1000).size());
}
BENCHMARK(BM_Path)->DenseRange(0, 3)->Unit(benchmark::kMicrosecond);

void BM_Cuts(benchmark::State& state) {
    const int servers = static_cast<int>(state.range(0));
    const Interconnect interconnect(
        made("random", {"gpus_per_server=8", "servers=" + std::to_string(servers)}));
    for (auto _ : state) benchmark::DoNotOptimize(recursiveCuts(bandwidthGraph(interconnect)).forks.size());
}
BENCHMARK(BM_Cuts)->RangeMultiplier(2)->Range(4, 32)->Unit(benchmark::kMillisecond);

/// 16,384 GPUs on 2,048 servers: by fabric, without and with latency.
const Cluster& huge(int shape) {
    static std::map<int, Cluster> clusters;
    if (const auto known = clusters.find(shape); known != clusters.end()) return known->second;
    constexpr const char* fabrics[] = {"fabric=one-switch", "fabric=rails", "fabric=fat-tree"};
    const char* const latency = shape < 3 ? "network_latency=0 s" : "network_latency=5 us";
    return clusters[shape] = made("dgx-h100", {"servers=2048", fabrics[shape % 3], latency});
}

void BM_HugeInterconnect(benchmark::State& state) {
    const Cluster& cluster = huge(static_cast<int>(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(Interconnect(cluster).bandwidthBps(0, 16383));
}
BENCHMARK(BM_HugeInterconnect)->DenseRange(0, 5)->Unit(benchmark::kMillisecond);

void BM_HugeLeastOfAll(benchmark::State& state) {
    const Interconnect interconnect(huge(static_cast<int>(state.range(0))));
    std::vector<int> all(16384);
    std::iota(all.begin(), all.end(), 0);
    for (auto _ : state) benchmark::DoNotOptimize(interconnect.minBandwidthBps(all, all));
}
BENCHMARK(BM_HugeLeastOfAll)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
