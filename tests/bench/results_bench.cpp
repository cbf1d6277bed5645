// Frames of an experiment's results with 10,000 points and two planners at 1200x700: CPU time of the thread
// that paints, median and 99th percentile over the frames, in milliseconds. A frame is due every 16. Run with
// QT_QPA_PLATFORM=offscreen.

#include "tests/views/results_fixture.h"
#include "views/common/theme.h"
#include "views/experiments/results_pane.h"

#include <QApplication>
#include <QMouseEvent>
#include <QWheelEvent>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>

namespace stagecraft {
namespace {

constexpr QSize frame(1200, 700);
constexpr ChartKind kinds[] = {ChartKind::lines, ChartKind::bars, ChartKind::heat, ChartKind::pareto};

double cpuMs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

/// 100 by 100 values, or, for lines and bars, 2,000 values with five seeds each.
std::shared_ptr<const Grid> gridFor(ChartKind kind) {
    const bool along = kind == ChartKind::lines || kind == ChartKind::bars;
    return gridOf(along ? twoAxes(2000, 1, 5) : twoAxes(100, 100));
}

/// Scattered, so that few points hide each other.
std::vector<CellResult> resultsFor(const Grid& grid) {
    std::size_t state = 1;
    const auto noise = [&] {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<double>(state >> 40) / static_cast<double>(1 << 24);
    };
    std::vector<CellResult> cells = madeUp(grid, [&](const auto& at, std::size_t planner) {
        return 0.2 + 0.5 * noise() + 0.001 * static_cast<double>(at[0]) + 0.1 * static_cast<double>(planner);
    });
    for (CellResult& cell : cells) cell.metrics["peak_memory_bytes"] = 1e9 * (1 + noise());
    return cells;
}

struct Shown {
    explicit Shown(ChartKind kind, bool filled) : grid(gridFor(kind)), cells(resultsFor(*grid)) {
        pane.resize(frame);
        pane.setGrid(grid);
        pane.setChoice(ofKind(firstChoice(grid->experiment()), kind, grid->experiment()));
        if (filled) pane.setCells(cells);
        pane.show();
        for (int turn = 0; turn < 5; ++turn) QApplication::processEvents();
    }
    std::shared_ptr<const Grid> grid;
    std::vector<CellResult> cells;
    ResultsPane pane;
};

template <typename Change>
void frames(benchmark::State& state, ResultsChart& chart, const Change& change) {
    std::vector<double> milliseconds;
    int i = 0;
    for (auto _ : state) {
        const double before = cpuMs();
        change(i++);
        chart.repaint();
        QApplication::processEvents();
        milliseconds.push_back(cpuMs() - before);
    }
    std::sort(milliseconds.begin(), milliseconds.end());
    state.counters["median_ms"] = milliseconds[milliseconds.size() / 2];
    state.counters["p99_ms"] = milliseconds[milliseconds.size() * 99 / 100];
}

void pan(benchmark::State& state, ChartKind kind) {
    Shown shown(kind, true);
    ResultsChart& chart = shown.pane.chart();
    frames(state, chart, [&](int i) {
        const double at = 0.005 * (i % 40);
        chart.showPart(QRectF(at, at, 0.8, 0.8));
    });
}

void zoom(benchmark::State& state, ChartKind kind) {
    Shown shown(kind, true);
    ResultsChart& chart = shown.pane.chart();
    frames(state, chart, [&](int i) {
        const QPointF at(600, 300);
        QWheelEvent event(at, chart.mapToGlobal(at), {}, {0, i % 20 < 10 ? 120 : -120}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&chart, &event);
    });
}

void hover(benchmark::State& state, ChartKind kind) {
    Shown shown(kind, true);
    ResultsChart& chart = shown.pane.chart();
    frames(state, chart, [&](int i) {
        const QPointF at(100 + 23 * i % 900, 60 + 17 * i % 400);
        QMouseEvent event(QEvent::MouseMove, at, chart.mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                          Qt::NoModifier);
        QApplication::sendEvent(&chart, &event);
    });
}

/// What each refresh costs while results come in, with the table sorted beside the chart.
void fill(benchmark::State& state, ChartKind kind) {
    Shown shown(kind, false);
    shown.pane.showTable(true);
    for (int turn = 0; turn < 5; ++turn) QApplication::processEvents();
    ResultsChart& chart = shown.pane.chart();
    std::size_t next = 0;
    frames(state, chart, [&](int) {
        for (int i = 0; i < 200; ++i, next = (next + 1) % shown.cells.size())
            shown.pane.addCell(next, shown.cells[next]);
        shown.pane.refresh();
    });
}

}  // namespace
}  // namespace stagecraft

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    using namespace stagecraft;
    applyTheme(application, ThemeChoice::light);
    const char* names[] = {"lines", "bars", "heat", "pareto"};
    const std::pair<const char*, void (*)(benchmark::State&, ChartKind)> turns[] = {
        {"pan", pan}, {"zoom", zoom}, {"hover", hover}, {"fill", fill}};
    for (const auto& [turn, body] : turns)
        for (const ChartKind kind : kinds)
            benchmark::RegisterBenchmark(
                (std::string(turn) + " " + names[static_cast<std::size_t>(kind)]).c_str(),
                [body = body, kind](benchmark::State& state) { body(state, kind); })
                ->Iterations(100)
                ->Unit(benchmark::kMillisecond);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
