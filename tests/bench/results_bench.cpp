// Frames of an experiment's results with 10,000 points and two planners at 1200x700: CPU time of the thread
// that paints, median and 99th percentile over the frames, in milliseconds. A frame is due every 16. "pan" is
// our own painting, "library" the same results panned in a QCustomPlot with the settings that suit it best.
// Run with QT_QPA_PLATFORM=offscreen.

#include "tests/support/window_rooms.h"
#include "tests/views/results_fixture.h"
#include "views/common/theme.h"
#include "views/experiments/results_pane.h"

#include <QApplication>
#include <QMouseEvent>
#include <QWheelEvent>

#include <benchmark/benchmark.h>
#include <qcustomplot.h>

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
void frames(benchmark::State& state, QWidget& chart, const Change& change) {
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

/// The results of a pane, drawn by the library: no signs where they would touch, fast lines, a picture for
/// the heat map. It draws less than we do: no whiskers, nothing for cells without a plan, no numbers in
/// cells.
class LibraryResults {
public:
    LibraryResults(QCustomPlot& plot, Shown& shown, ChartKind kind) : plot_(plot) {
        plot.setPlottingHint(QCP::phFastPolylines);
        plot.setPlottingHint(QCP::phImmediateRefresh, false);
        const std::vector<ResultsSeries>& series = shown.pane.chart().series();
        if (kind == ChartKind::heat) addHeat(series);
        if (kind == ChartKind::lines) addLines(series);
        if (kind == ChartKind::bars) addBars(series);
        if (kind == ChartKind::pareto) addPoints(series);
        plot.rescaleAxes();
        across_ = plot.xAxis->range();
        upright_ = plot.yAxis->range();
    }
    void showPart(const QRectF& part) {
        const auto shown = [](const QCPRange& whole, double from, double to) {
            return QCPRange(whole.lower + from * whole.size(), whole.lower + to * whole.size());
        };
        plot_.xAxis->setRange(shown(across_, part.left(), part.right()));
        plot_.yAxis->setRange(shown(upright_, part.top(), part.bottom()));
        plot_.replot(QCustomPlot::rpQueuedRefresh);
    }

private:
    QCPGraph* addGraph(const ResultsSeries& series, double Spread::*height, bool across) {
        QVector<double> x, y;
        for (const ResultsPoint& point : series.points) {
            x << (across ? point.across.mean : static_cast<double>(point.value));
            y << point.spread.*height;
        }
        QCPGraph* graph = plot_.addGraph();
        graph->setData(x, y);
        return graph;
    }
    void addLines(const std::vector<ResultsSeries>& all) {
        for (const ResultsSeries& series : all) {
            const QColor colour = seriesColour(series.planner, false);
            for (const auto& [low, high] :
                 {std::pair(&Spread::least, &Spread::most), std::pair(&Spread::lower, &Spread::upper)}) {
                QCPGraph *above = addGraph(series, high, false), *below = addGraph(series, low, false);
                for (QCPGraph* edge : {above, below}) edge->setPen(Qt::NoPen);
                above->setAntialiasedFill(false);
                above->setBrush(mixedColour(colour, Qt::white, 0.3));
                above->setChannelFillGraph(below);
            }
            QCPGraph* mean = addGraph(series, &Spread::mean, false);
            mean->setPen(QPen(colour, 1));
            mean->setAntialiased(false);  // a frame takes ten times as long with smooth lines
            mean->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, Qt::white, colour, 6));
            mean->setScatterSkip(15);
        }
    }
    void addBars(const std::vector<ResultsSeries>& all) {
        auto* group = new QCPBarsGroup(&plot_);
        for (const ResultsSeries& series : all) {
            QVector<double> x, y;
            for (const ResultsPoint& point : series.points) {
                x << static_cast<double>(point.value);
                y << point.spread.mean;
            }
            auto* bars = new QCPBars(plot_.xAxis, plot_.yAxis);
            bars->setAntialiased(false);
            bars->setPen(Qt::NoPen);
            bars->setBrush(seriesColour(series.planner, false));
            bars->setWidth(0.8 / static_cast<double>(all.size()));
            bars->setBarsGroup(group);
            bars->setData(x, y);
        }
    }
    void addHeat(const std::vector<ResultsSeries>& rows) {
        auto* map = new QCPColorMap(plot_.xAxis, plot_.yAxis);
        const auto columns = static_cast<int>(rows.front().points.size());
        map->data()->setSize(columns, static_cast<int>(rows.size()));
        map->data()->setRange({0, columns - 1.0}, {0, static_cast<double>(rows.size()) - 1});
        for (const ResultsSeries& row : rows)
            for (const ResultsPoint& point : row.points)
                map->data()->setCell(static_cast<int>(point.value), static_cast<int>(row.row),
                                     point.spread.mean);
        map->setGradient(QCPColorGradient::gpThermal);
        map->setInterpolate(false);
        map->rescaleDataRange();
    }
    void addPoints(const std::vector<ResultsSeries>& all) {
        for (const bool best : {false, true})
            for (ResultsSeries series : all) {
                std::erase_if(series.points,
                              [best](const ResultsPoint& point) { return point.best != best; });
                QCPGraph* graph = addGraph(series, &Spread::mean, true);
                const QColor colour =
                    mixedColour(seriesColour(series.planner, false), Qt::white, best ? 1 : 0.4);
                graph->setAntialiasedScatters(best);
                graph->setLineStyle(QCPGraph::lsNone);
                graph->setScatterStyle(
                    QCPScatterStyle(QCPScatterStyle::ssSquare, QPen(Qt::NoPen), colour, best ? 6 : 4));
            }
    }

    QCustomPlot& plot_;
    QCPRange across_, upright_;
};

void library(benchmark::State& state, ChartKind kind) {
    Shown shown(kind, true);
    QCustomPlot plot;
    plot.resize(frame);
    LibraryResults results(plot, shown, kind);
    plot.show();
    QApplication::processEvents();
    frames(state, plot, [&](int i) {
        const double at = 0.005 * (i % 40);
        results.showPart(QRectF(at, at, 0.8, 0.8));
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
        {"pan", pan}, {"library", library}, {"zoom", zoom}, {"hover", hover}, {"fill", fill}};
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
