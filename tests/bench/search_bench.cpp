// Searching a large timeline and marking what was found (views/plan/plan_search.h,
// views/timeline/block_hits.h), and the busy bands of collapsed lanes.

#include "core/analysis/block_query.h"
#include "tests/support/window_rooms.h"
#include "tests/views/gantt_fixture.h"
#include "views/timeline/block_hits.h"
#include "views/timeline/busy_curve.h"

#include <benchmark/benchmark.h>

#include <numeric>

using namespace stagecraft;

namespace {

/// About a million blocks on 32 GPUs in 16 stages.
const PlanRun& large() {
    static const std::shared_ptr<PlanRun> run =
        madeUpRun({.stages = 16, .replicas = 2, .microbatches = 16'000});
    return *run;
}

void find(benchmark::State& state, const char* text) {
    const PlanRun& run = large();
    const Timeline& timeline = run.evaluation->timeline;
    const Cluster& cluster = run.costs->problem().cluster;
    std::size_t found = 0;
    for (auto _ : state) {
        const BlockQuery query(text, cluster, run.result.plan, timeline);
        found = query.find(timeline, run.evaluation->metrics.criticalPath.blocks).size();
        benchmark::DoNotOptimize(found);
    }
    state.counters["blocks"] = timeline.blockCount();
    state.counters["found"] = static_cast<double>(found);
}
BENCHMARK_CAPTURE(find, few, "stage:2 kind:backward mb:3..5")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(find, aThird, "kind:backward")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(find, critical, "critical -kind:transfer")->Unit(benchmark::kMillisecond);

void markColumnsOfAllLanes(benchmark::State& state) {
    const PlanRun& run = large();
    const Timeline& timeline = run.evaluation->timeline;
    const BlockQuery query("kind:backward", run.costs->problem().cluster, run.result.plan, timeline);
    const BlockHits hits(timeline, query.find(timeline, {}));
    std::vector<BlockHits::Column> columns;
    const double columnS = timeline.lastEndS() / 1900;  // looks at all blocks
    for (auto _ : state)
        for (int lane = 0; lane < static_cast<int>(timeline.lanes.size()); ++lane)
            hits.columns(lane, 0, columnS, 1900, columns);
}
BENCHMARK(markColumnsOfAllLanes)->Unit(benchmark::kMillisecond);

void bandOfAllLanes(benchmark::State& state) {
    const Timeline& timeline = large().evaluation->timeline;
    std::vector<int> lanes(16);
    std::iota(lanes.begin(), lanes.end(), 0);
    const BusyCurve curve(timeline, lanes);
    std::vector<float> shares;
    const double columnS = timeline.lastEndS() / 1900;
    for (auto _ : state) curve.columnShares(0, columnS, 1900, shares);
}
BENCHMARK(bandOfAllLanes)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
