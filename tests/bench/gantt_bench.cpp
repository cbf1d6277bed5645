// CPU time of one frame of the Gantt chart at 1600x900 through the widget's own paint path, on the thread
// that paints: median and 99th percentile over the frames, in milliseconds. A frame is due every 16. Prints
// them as a table. Run: ./dev bench gantt

#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"
#include "tests/bench/frame_table.h"
#include "tests/bench/frames.h"
#include "tests/support/window_rooms.h"
#include "tests/views/gantt_fixture.h"
#include "tests/views/recorded_fixture.h"
#include "views/common/theme.h"
#include "views/plan/plan_view.h"
#include "views/resources/memory_chart.h"
#include "views/timeline/gantt_chart.h"

#include <QApplication>
#include <QMouseEvent>

#include <benchmark/benchmark.h>

#include <map>
#include <tuple>
#include <utility>

namespace stagecraft {
namespace {

constexpr int fewLanes = 32;
constexpr int manyLanes = 1024;
constexpr QSize frame(1600, 900);

/// Blocks a lane shows at a zoom level, from all of them to a few with labels.
const char* const zoomNames[] = {"everything", "2 blocks a pixel", "3 pixels a block", "12 pixels a block",
                                 "30 pixels a block"};
double blocksVisible(int zoom, double blocksPerLane, double width) {
    switch (zoom) {
        case 0:
            return blocksPerLane;
        case 1:
            return 2 * width;
        case 2:
            return width / 3;
        case 3:
            return width / 12;
        default:
            return width / 30;
    }
}

int blocksOf(const benchmark::State& state) { return static_cast<int>(state.range(0)); }
int lanesOf(const benchmark::State& state) { return static_cast<int>(state.range(1)); }
int zoomOf(const benchmark::State& state) { return static_cast<int>(state.range(2)); }

/// `miniBatches`: that follow each other without a barrier; 0: one with a barrier.
std::shared_ptr<const PlanRun> runOf(int blocks, int lanes, int miniBatches = 0) {
    static std::map<std::tuple<int, int, int>, std::shared_ptr<const PlanRun>> made;
    auto& run = made[{blocks, lanes, miniBatches}];
    if (!run) {
        MadeUpPipeline wanted;
        wanted.stages = lanes;
        wanted.replicas = 1;
        wanted.microbatches = blocks / lanes / 2 / std::max(1, miniBatches);
        wanted.miniBatches = miniBatches;
        wanted.linkBps = 60e9;
        run = madeUpRun(wanted);
    }
    return run;
}

struct Range {
    double t0, t1;
};
Range startOf(int zoom, const Timeline& timeline, double width) {
    const double end = timeline.lastEndS(), perLane = double(timeline.lanes.front().blockCount());
    const double span = end * std::min(1.0, blocksVisible(zoom, perLane, width) / perLane);
    return {0.45 * (end - span), 0.45 * (end - span) + span};
}

std::shared_ptr<const ChartData> dataOf(const benchmark::State& state) {
    static std::map<std::pair<int, int>, std::shared_ptr<const ChartData>> made;
    auto& data = made[{blocksOf(state), lanesOf(state)}];
    if (!data) data = std::make_shared<const ChartData>(runOf(blocksOf(state), lanesOf(state)));
    return data;
}

Range rangeOf(benchmark::State& state, const GanttChart& chart) {
    state.SetLabel(zoomNames[zoomOf(state)]);
    return startOf(zoomOf(state), chart.scene().timeline(), frame.width());
}

void pan(benchmark::State& state) {
    GanttChart chart;
    chart.setCommunication(false);
    chart.setData(dataOf(state));
    settle(chart, frame);
    const Range at = rangeOf(state, chart);
    frames(state, chart.plot(), true, [&](int i) {
        const double shift = (at.t1 - at.t0) * 0.007 * (i % 40);
        chart.setRange(at.t0 + shift, at.t1 + shift);
    });
}

/// Two million kernels on a stream of each of 32 devices, as a recording has them: without a plan.
void panKernels(benchmark::State& state) {
    static const auto data = std::make_shared<const ChartData>(
        recorded(kernelsAlone(fewLanes, 2'000'000 / static_cast<std::uint32_t>(fewLanes))));
    GanttChart chart;
    chart.setData(data);
    settle(chart, frame);
    state.SetLabel(zoomNames[zoomOf(state)]);
    const Timeline& timeline = chart.scene().timeline();
    const double end = timeline.lastEndS(), perLane = double(timeline.lanes.back().blockCount());
    const double span = end * std::min(1.0, blocksVisible(zoomOf(state), perLane, frame.width()) / perLane);
    frames(state, chart.plot(), true, [&](int i) {
        const double from = 0.45 * (end - span) + span * 0.007 * (i % 40);
        chart.setRange(from, from + span);
    });
}

/// A million computing blocks on 32 devices of four chunks each, or of two whose passes are in pairs.
std::shared_ptr<const PlanRun> familyRun(const char* id) {
    const ScheduleFamily& family = *findScheduleFamily(id);
    const bool pairs = std::string(id) == "dualpipe-v";
    const int chunks = pairs ? 2 : 4, blocksEach = pairs ? 1 : 2;
    MadeUpPipeline wanted;
    wanted.stages = chunks * fewLanes;
    wanted.replicas = 1;
    wanted.microbatches = 1'000'000 / (wanted.stages * blocksEach) / fewLanes * fewLanes;
    wanted.linkBps = 60e9;
    Problem problem = madeUpProblem(wanted);
    problem.cluster.devices.resize(fewLanes);
    problem.cluster.links.resize(fewLanes);
    auto run = std::make_shared<PlanRun>();
    run->costs = std::make_shared<CostModel>(std::move(problem));
    ParameterValues values = defaultValues(settingsOf(family));
    if (values.contains("chunks")) values["chunks"] = chunks;
    run->result.status = PlanStatus::ok;
    run->result.plan = equalLayersUnder(*run->costs, family, values);
    run->evaluation = std::make_shared<const Evaluation>(
        measureRun(*run->costs, run->result.plan, simulatedRun(*run->costs, run->result.plan)));
    return run;
}

void panInColours(benchmark::State& state, const std::shared_ptr<const ChartData>& data,
                  BlockColouring colouring) {
    GanttChart chart;
    chart.setCommunication(false);
    chart.setData(data);
    bool coloured = false;
    QObject::connect(&chart, &GanttChart::coloured, [&] { coloured = true; });
    chart.setColouring(colouring);
    while (!coloured) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    chart.setPredictions(true);
    settle(chart, frame);
    const Range at = rangeOf(state, chart);
    frames(state, chart.plot(), true, [&](int i) {
        const double shift = (at.t1 - at.t0) * 0.007 * (i % 40);
        chart.setRange(at.t0 + shift, at.t1 + shift);
    });
}

/// Panning over chunks or pairs in the colours of chunks or microbatches.
template <BlockColouring colouring>
void panFamily(benchmark::State& state, const char* family) {
    static std::map<std::string, std::shared_ptr<const ChartData>> made;
    auto& data = made[family];
    if (!data) data = std::make_shared<const ChartData>(familyRun(family));
    state.counters["blocks"] = data->run->evaluation->timeline.blockCount();
    panInColours(state, data, colouring);
}

/// Panning in the colours of mini-batches, chunks or staleness, with arrows of predictions.
template <BlockColouring colouring>
void panColoured(benchmark::State& state) {
    constexpr int miniBatches = 64;
    static const auto data =
        std::make_shared<const ChartData>(runOf(blocksOf(state), lanesOf(state), miniBatches));
    panInColours(state, data, colouring);
}

/// Sorting all blocks into the classes of a colouring, on the thread that does it.
void colour(benchmark::State& state) {
    const auto run = runOf(blocksOf(state), fewLanes, 64);
    const Timeline& timeline = run->evaluation->timeline;
    for (auto _ : state)
        benchmark::DoNotOptimize(
            ColouredBlocks(BlockColouring::chunk, timeline, run->result.plan.stages, nullptr)
                .classes.steps()
                .size());
}

void zoom(benchmark::State& state) {
    GanttChart chart;
    chart.setCommunication(false);
    chart.setData(dataOf(state));
    settle(chart, frame);
    const Range at = rangeOf(state, chart);
    frames(state, chart.plot(), true, [&](int i) {
        const double inset = (at.t1 - at.t0) * 0.01 * (i % 10);
        chart.setRange(at.t0 + inset, at.t1 - inset);
    });
}

void resize(benchmark::State& state) {
    GanttChart chart;
    chart.setCommunication(false);
    chart.setData(dataOf(state));
    settle(chart, frame);
    const Range at = rangeOf(state, chart);
    chart.setRange(at.t0, at.t1);
    frames(state, chart.plot(), true,
           [&](int i) { chart.resize(frame.width() - 3 * (1 + i % 40), frame.height() - 2 * (1 + i % 40)); });
}

void showReady(PlanView& view, const benchmark::State& state) {
    view.viewActions().communication->setChecked(false);
    view.setRun(runOf(blocksOf(state), lanesOf(state)));
    while (!view.isReady()) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    settle(view, frame);
}

/// The pointer's line through both charts, the read-out of every device, the card and the outline of a block.
void hover(benchmark::State& state) {
    PlanView view;
    showReady(view, state);
    TimePlot& plot = view.gantt().plot();
    const Range at = rangeOf(state, view.gantt());
    view.setVisibleRange(at.t0, at.t1);
    settle(view, frame);
    frames(state, plot, false, [&](int i) {
        const QRect area = plot.area();
        const QPointF position(area.left() + 100 + (i * 7) % (area.width() - 200),
                               area.top() + (i * 3) % area.height());
        QMouseEvent move(QEvent::MouseMove, position, plot.mapToGlobal(position), Qt::NoButton, Qt::NoButton,
                         Qt::NoModifier);
        QApplication::sendEvent(&plot, &move);
    });
}

/// Gantt chart and memory chart together, which is what moves when a person pans.
void panWithMemory(benchmark::State& state) {
    PlanView view;
    showReady(view, state);
    const Range at = rangeOf(state, view.gantt());
    frames(state, view.memory().plot(), true, [&](int i) {
        const double shift = (at.t1 - at.t0) * 0.007 * (i % 40);
        view.setVisibleRange(at.t0 + shift, at.t1 - shift / 10);
    });
}

void prepare(benchmark::State& state) {
    const auto run = runOf(blocksOf(state), fewLanes);
    for (auto _ : state) benchmark::DoNotOptimize(ChartData(run).endS);
}

}  // namespace
}  // namespace stagecraft

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    stagecraft::views::common::applyTheme(application, stagecraft::views::common::ThemeChoice::light);
    using Body = void (*)(benchmark::State&);
    const std::pair<const char*, Body> bodies[] = {{"pan", stagecraft::pan},
                                                   {"zoom", stagecraft::zoom},
                                                   {"hover", stagecraft::hover},
                                                   {"resize", stagecraft::resize},
                                                   {"pan with memory", stagecraft::panWithMemory}};
    const std::pair<int, int> sizes[] = {{1'000'000, stagecraft::fewLanes},
                                         {10'000'000, stagecraft::fewLanes},
                                         {1'000'000, stagecraft::manyLanes}};
    const auto add = [](const char* name, Body body, int blocks, int lanes) {
        for (int zoom = 0; zoom < 5; ++zoom)
            benchmark::RegisterBenchmark(name, body)
                ->ArgNames({"blocks", "lanes", "zoom"})
                ->Args({blocks, lanes, zoom})
                ->Iterations(stagecraft::framesEach)
                ->Unit(benchmark::kMillisecond);
    };
    for (const auto& [blocks, lanes] : sizes)
        for (const auto& [name, body] : bodies) add(name, body, blocks, lanes);
    add("pan by mini-batch", stagecraft::panColoured<stagecraft::views::common::BlockColouring::miniBatch>,
        1'000'000, stagecraft::fewLanes);
    add("pan by chunk", stagecraft::panColoured<stagecraft::views::common::BlockColouring::chunk>, 1'000'000,
        stagecraft::fewLanes);
    add("pan by staleness", stagecraft::panColoured<stagecraft::views::common::BlockColouring::staleness>,
        1'000'000, stagecraft::fewLanes);
    benchmark::RegisterBenchmark("colour", stagecraft::colour)
        ->Args({1'000'000})
        ->Unit(benchmark::kMillisecond);
    for (int zoom = 0; zoom < 5; ++zoom)
        benchmark::RegisterBenchmark("pan kernels", stagecraft::panKernels)
            ->ArgNames({"blocks", "lanes", "zoom"})
            ->Args({2'000'000, stagecraft::fewLanes, zoom})
            ->Iterations(stagecraft::framesEach)
            ->Unit(benchmark::kMillisecond);
    const auto addFamily = [](const std::string& name, auto body, const char* family) {
        for (int zoom = 0; zoom < 5; ++zoom)
            benchmark::RegisterBenchmark(name.c_str(),
                                         [body, family](benchmark::State& state) { body(state, family); })
                ->ArgNames({"blocks", "lanes", "zoom"})
                ->Args({1'000'000, stagecraft::fewLanes, zoom})
                ->Iterations(stagecraft::framesEach)
                ->Unit(benchmark::kMillisecond);
    };
    for (const char* family : {"interleaved", "dualpipe-v"}) {
        addFamily(std::string("pan ") + family + " by chunk",
                  stagecraft::panFamily<stagecraft::views::common::BlockColouring::chunk>, family);
        addFamily(std::string("pan ") + family + " by microbatch",
                  stagecraft::panFamily<stagecraft::views::common::BlockColouring::microbatch>, family);
    }
    for (const int blocks : {1'000'000, 10'000'000})
        benchmark::RegisterBenchmark("prepare", stagecraft::prepare)
            ->Args({blocks})
            ->Unit(benchmark::kMillisecond);
    benchmark::Initialize(&argc, argv);
    stagecraft::FrameTable table;
    benchmark::RunSpecifiedBenchmarks(&table);
    return 0;
}
