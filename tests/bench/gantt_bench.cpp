// CPU time of one frame of the Gantt chart at 1600x900 through the widget's own paint path. Prints
// milliseconds.

#include "tests/views/gantt_fixture.h"
#include "views/common/theme.h"
#include "views/gantt/gantt_chart.h"
#include "views/gantt/memory_chart.h"
#include "views/gantt/plan_view.h"

#include <QApplication>
#include <QMouseEvent>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <utility>

namespace stagecraft {
namespace {

constexpr int lanes = 32;
constexpr QSize frame(1600, 900);

/// Blocks a lane shows at a zoom level, from all of them to a few with labels.
const char* const zoomNames[] = {"everything", "2 blocks a pixel", "3 pixels a block", "12 pixels a block",
                                 "labels"};
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

/// `miniBatches`: that follow each other without a barrier; 0: one with a barrier.
std::shared_ptr<const PlanRun> runOf(int blocks, int miniBatches = 0) {
    static std::map<std::pair<int, int>, std::shared_ptr<const PlanRun>> made;
    auto& run = made[{blocks, miniBatches}];
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

/// Counts the frames that reach the screen.
class PaintCounter : public QObject {
public:
    explicit PaintCounter(const QWidget& plot) {
        for (QWidget* child : plot.findChildren<QWidget*>()) child->installEventFilter(this);
    }
    int count = 0;

    bool eventFilter(QObject*, QEvent* event) override {
        count += event->type() == QEvent::Paint;
        return false;
    }
};

/// A chart on its own, or the whole view with memory below, that fills the frame.
template <typename Widget>
void settle(Widget& widget) {
    widget.resize(frame);
    widget.show();
    for (int turn = 0; turn < 5; ++turn) QApplication::processEvents();
}

struct Range {
    double t0, t1;
};
Range startOf(int zoom, const Timeline& timeline, double width) {
    const double end = timeline.lastEndS(), perLane = double(timeline.lanes.front().blockCount());
    const double span = end * std::min(1.0, blocksVisible(zoom, perLane, width) / perLane);
    return {0.45 * (end - span), 0.45 * (end - span) + span};
}

/// One frame for each call of `change`: events are processed until `plot` has drawn its data anew, or, for a
/// pointer that moves, until it has been painted.
template <typename Change>
void frames(benchmark::State& state, TimePlot& plot, bool drawsData, Change change) {
    PaintCounter painted(plot);
    int drawn = 0;
    const auto counting = QObject::connect(&plot, &TimePlot::drawn, [&] { ++drawn; });
    int i = 0;
    for (auto _ : state) {
        const int drawnBefore = drawn, paintedBefore = painted.count;
        change(i++);
        while (drawsData && drawn == drawnBefore) QApplication::processEvents();
        while (painted.count == paintedBefore) QApplication::processEvents();
    }
    QObject::disconnect(counting);
    state.SetLabel(zoomNames[state.range(1)]);
}

std::shared_ptr<const ChartData> dataOf(int blocks) {
    static std::map<int, std::shared_ptr<const ChartData>> made;
    auto& data = made[blocks];
    if (!data) data = std::make_shared<const ChartData>(runOf(blocks));
    return data;
}

void pan(benchmark::State& state) {
    GanttChart chart;
    chart.setCommunication(false);
    chart.setData(dataOf(static_cast<int>(state.range(0))));
    settle(chart);
    const Range at = startOf(static_cast<int>(state.range(1)), chart.scene().timeline(), frame.width());
    frames(state, chart.plot(), true, [&](int i) {
        const double shift = (at.t1 - at.t0) * 0.007 * (i % 40);
        chart.setRange(at.t0 + shift, at.t1 + shift);
    });
}

/// Panning in the colours of mini-batches or of staleness, with arrows of predictions.
template <BlockColouring colouring>
void panColoured(benchmark::State& state) {
    constexpr int miniBatches = 64;
    static const auto data =
        std::make_shared<const ChartData>(runOf(static_cast<int>(state.range(0)), miniBatches));
    GanttChart chart;
    chart.setCommunication(false);
    chart.setData(data);
    bool coloured = false;
    QObject::connect(&chart, &GanttChart::coloured, [&] { coloured = true; });
    chart.setColouring(colouring);
    while (!coloured) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    chart.setPredictions(true);
    settle(chart);
    const Range at = startOf(static_cast<int>(state.range(1)), chart.scene().timeline(), frame.width());
    frames(state, chart.plot(), true, [&](int i) {
        const double shift = (at.t1 - at.t0) * 0.007 * (i % 40);
        chart.setRange(at.t0 + shift, at.t1 + shift);
    });
}

/// Sorting all blocks into the classes of a colouring, on the thread that does it.
void colour(benchmark::State& state) {
    const auto run = runOf(static_cast<int>(state.range(0)), 64);
    const Timeline& timeline = run->evaluation->timeline;
    for (auto _ : state)
        benchmark::DoNotOptimize(
            ColouredBlocks(BlockColouring::miniBatch, timeline, nullptr).classes.steps().size());
}

void zoom(benchmark::State& state) {
    GanttChart chart;
    chart.setCommunication(false);
    chart.setData(dataOf(static_cast<int>(state.range(0))));
    settle(chart);
    const Range at = startOf(static_cast<int>(state.range(1)), chart.scene().timeline(), frame.width());
    frames(state, chart.plot(), true, [&](int i) {
        const double inset = (at.t1 - at.t0) * 0.01 * (i % 10);
        chart.setRange(at.t0 + inset, at.t1 - inset);
    });
}

void showReady(PlanView& view, int blocks) {
    view.viewActions().communication->setChecked(false);
    view.setRun(runOf(blocks));
    while (!view.isReady()) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    settle(view);
}

/// The pointer's line through both charts, the read-out of every device, the card and the outline of a block.
void hover(benchmark::State& state) {
    PlanView view;
    showReady(view, static_cast<int>(state.range(0)));
    TimePlot& plot = view.gantt().plot();
    const Range at =
        startOf(static_cast<int>(state.range(1)), view.gantt().scene().timeline(), frame.width());
    view.setVisibleRange(at.t0, at.t1);
    settle(view);
    frames(state, plot, false, [&](int i) {
        const QPointF position(200 + (i * 7) % 1100, 60 + (i * 3) % 400);
        QMouseEvent move(QEvent::MouseMove, position, plot.mapToGlobal(position), Qt::NoButton, Qt::NoButton,
                         Qt::NoModifier);
        QApplication::sendEvent(&plot, &move);
    });
}

/// Gantt chart and memory chart together, which is what moves when a person pans.
void panWithMemory(benchmark::State& state) {
    PlanView view;
    showReady(view, static_cast<int>(state.range(0)));
    const Range at =
        startOf(static_cast<int>(state.range(1)), view.gantt().scene().timeline(), frame.width());
    frames(state, view.memory().plot(), true, [&](int i) {
        const double shift = (at.t1 - at.t0) * 0.007 * (i % 40);
        view.setVisibleRange(at.t0 + shift, at.t1 - shift / 10);
    });
}

void prepare(benchmark::State& state) {
    const auto run = runOf(static_cast<int>(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(ChartData(run).endS);
}

}  // namespace
}  // namespace stagecraft

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    stagecraft::applyTheme(application, stagecraft::ThemeChoice::light);
    using Body = void (*)(benchmark::State&);
    const std::pair<const char*, Body> bodies[] = {{"pan", stagecraft::pan},
                                                   {"zoom", stagecraft::zoom},
                                                   {"hover", stagecraft::hover},
                                                   {"pan with memory", stagecraft::panWithMemory}};
    for (const auto& [name, body] : bodies)
        for (const int blocks : {1'000'000, 10'000'000})
            for (int zoom = 0; zoom < 5; ++zoom)
                benchmark::RegisterBenchmark(name, body)->Args({blocks, zoom})->Unit(benchmark::kMillisecond);
    const std::pair<const char*, Body> colours[] = {
        {"pan by mini-batch", stagecraft::panColoured<stagecraft::BlockColouring::miniBatch>},
        {"pan by staleness", stagecraft::panColoured<stagecraft::BlockColouring::staleness>}};
    for (const auto& [name, body] : colours)
        for (int zoom = 0; zoom < 5; ++zoom)
            benchmark::RegisterBenchmark(name, body)->Args({1'000'000, zoom})->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("colour", stagecraft::colour)
        ->Args({1'000'000})
        ->Unit(benchmark::kMillisecond);
    for (const int blocks : {1'000'000, 10'000'000})
        benchmark::RegisterBenchmark("prepare", stagecraft::prepare)
            ->Args({blocks})
            ->Unit(benchmark::kMillisecond);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
