// CPU time of one frame of the charts under a plan's timeline at 1600x300 and of a plan that is played in
// 1920x1080, and what preparing the charts costs. Prints milliseconds as a table. Run: ./dev bench resource

#include "tests/bench/frame_table.h"
#include "tests/bench/frames.h"
#include "tests/support/window_rooms.h"
#include "tests/views/gantt_fixture.h"
#include "views/common/theme.h"
#include "views/play/play_view.h"
#include "views/resources/alive_list.h"
#include "views/resources/link_chart.h"
#include "views/resources/memory_chart.h"
#include "views/timeline/play_clock.h"

#include <QApplication>

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <utility>

namespace stagecraft {
namespace {

constexpr QSize frame(1600, 300), playing(1920, 1080);

struct Shown {
    std::shared_ptr<const ChartData> chart;
    std::shared_ptr<const LinkData> links;
};

/// `stages` GPUs in a row, with about that many blocks in all, transfers among them.
const Shown& shown(int blocks, int stages) {
    static std::map<std::pair<int, int>, Shown> made;
    Shown& it = made[{blocks, stages}];
    if (!it.chart) {
        MadeUpPipeline wanted;
        wanted.stages = stages;
        wanted.replicas = 1;
        wanted.microbatches = blocks / stages / 4;
        it.chart = std::make_shared<const ChartData>(madeUpRun(wanted));
        it.links = std::make_shared<const LinkData>(it.chart);
    }
    return it;
}

/// Pans a chart that shows `part` of the time.
template <typename Chart>
void pan(benchmark::State& state, Chart& chart, double endS) {
    const double span = endS / static_cast<double>(state.range(2));
    settle(chart, frame);
    frames(state, chart.plot(), true, [&](int i) {
        const double t0 = 0.4 * (endS - span) + span * 0.007 * (i % 40);
        chart.setRange(t0, t0 + span);
    });
    state.SetLabel(state.range(2) == 1 ? "all" : "1/" + std::to_string(state.range(2)));
}

void panLinks(benchmark::State& state) {
    const Shown& it = shown(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
    LinkChart chart;
    chart.setData(it.links);
    pan(state, chart, it.chart->endS);
}

void panOneLink(benchmark::State& state) {
    const Shown& it = shown(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
    LinkChart chart;
    chart.setData(it.links);
    chart.selectLink(0);
    pan(state, chart, it.chart->endS);
}

void panMemory(benchmark::State& state) {
    const Shown& it = shown(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
    MemoryChart chart;
    chart.setData(it.chart);
    pan(state, chart, it.chart->endS);
}

/// One instant after another, as the clock gives them, with all of the cluster in view.
void playAs(benchmark::State& state, bool presenting) {
    MadeUpPipeline wanted;
    wanted.stages = static_cast<int>(state.range(1));
    wanted.replicas = static_cast<int>(state.range(2));
    wanted.microbatches = static_cast<int>(state.range(0)) / wanted.stages / 4;
    PlayView view;
    settle(view, playing);
    view.setRuns({madeUpRun(wanted)});
    while (view.plans().empty()) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    PresentChoice choice;
    choice.cluster = true;
    view.setPresentChoice(choice);
    view.setPresenting(presenting);
    settle(view, playing);
    std::vector<double> milliseconds;
    int i = 0;
    for (auto _ : state) {
        const double before = cpuMs();
        view.clock().setTime(view.clock().endS() * (++i % framesEach) / framesEach);
        for (int turn = 0; turn < 3; ++turn) QApplication::processEvents();
        milliseconds.push_back(cpuMs() - before);
    }
    tellFrames(state, std::move(milliseconds));
    state.SetLabel(std::to_string(wanted.replicas) + " each");
}

void playPlan(benchmark::State& state) { playAs(state, false); }
void presentPlan(benchmark::State& state) { playAs(state, true); }

void prepareLinks(benchmark::State& state) {
    const Shown& it = shown(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
    for (auto _ : state) benchmark::DoNotOptimize(LinkData(it.chart).links.size());
}

/// What a click on a memory curve asks.
void askAlive(benchmark::State& state) {
    const Shown& it = shown(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
    const PlanRun& run = *it.chart->run;
    const MemoryLedger ledger(*run.costs, run.result.plan, run.evaluation->lowered().edges,
                              run.evaluation->timeline);
    for (auto _ : state) benchmark::DoNotOptimize(ledger.holders(0, 0.9 * it.chart->endS).size());
}

}  // namespace
}  // namespace stagecraft

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    stagecraft::views::common::applyTheme(application, stagecraft::views::common::ThemeChoice::light);
    using Body = void (*)(benchmark::State&);
    const std::pair<const char*, Body> drawn[] = {{"pan links", stagecraft::panLinks},
                                                  {"pan one link", stagecraft::panOneLink},
                                                  {"pan memory", stagecraft::panMemory}};
    for (const auto& [name, body] : drawn)
        for (const int stages : {32, 256})
            for (const int zoom : {1, 30, 3000})
                benchmark::RegisterBenchmark(name, body)
                    ->ArgNames({"blocks", "stages", "zoom"})
                    ->Args({1'000'000, stages, zoom})
                    ->Iterations(stagecraft::framesEach)
                    ->Unit(benchmark::kMillisecond);
    for (const auto& [name, body] : {std::pair<const char*, Body>{"play", stagecraft::playPlan},
                                     std::pair<const char*, Body>{"present", stagecraft::presentPlan}})
        for (const int replicas : {1, 4, 16})
            benchmark::RegisterBenchmark(name, body)
                ->ArgNames({"blocks", "stages", "replicas"})
                ->Args({100'000, 1024 / replicas, replicas})
                ->Iterations(stagecraft::framesEach)
                ->Unit(benchmark::kMillisecond);
    for (const auto& [name, body] : {std::pair<const char*, Body>{"prepare links", stagecraft::prepareLinks},
                                     std::pair<const char*, Body>{"ask what is alive", stagecraft::askAlive}})
        benchmark::RegisterBenchmark(name, body)
            ->ArgNames({"blocks", "stages"})
            ->Args({1'000'000, 32})
            ->Unit(benchmark::kMillisecond);
    benchmark::Initialize(&argc, argv);
    stagecraft::FrameTable table;
    benchmark::RunSpecifiedBenchmarks(&table);
    return 0;
}
