#pragma once

#include "tests/support/window_rooms.h"
#include "views/timeline/time_plot.h"

#include <QApplication>
#include <QEvent>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include <time.h>

namespace stagecraft {

constexpr int framesEach = 200;

/// Counts the frames of a plot that reach the screen.
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

inline double cpuMs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

/// A widget that fills the frame, with all that its showing asks for done.
inline void settle(QWidget& widget, QSize size) {
    widget.resize(size);
    widget.show();
    for (int turn = 0; turn < 5; ++turn) QApplication::processEvents();
}

/// What the thread that paints computes for each frame, as counters: median and 99th percentile.
inline void tellFrames(benchmark::State& state, std::vector<double> milliseconds) {
    if (milliseconds.empty()) return;
    std::sort(milliseconds.begin(), milliseconds.end());
    state.counters["median_ms"] = milliseconds[milliseconds.size() / 2];
    state.counters["p99_ms"] = milliseconds[milliseconds.size() * 99 / 100];
}

/// One frame for each call of `change`: events are processed until `plot` has drawn its data anew, or, for a
/// pointer that moves, until it has been painted.
template <typename Change>
void frames(benchmark::State& state, TimePlot& plot, bool drawsData, Change change) {
    PaintCounter painted(plot);
    int drawn = 0;
    const auto counting = QObject::connect(&plot, &TimePlot::drawn, [&] { ++drawn; });
    std::vector<double> milliseconds;
    int i = 0;
    for (auto _ : state) {
        const int drawnBefore = drawn, paintedBefore = painted.count;
        const double before = cpuMs();
        change(i++);
        while (drawsData && drawn == drawnBefore) QApplication::processEvents();
        while (painted.count == paintedBefore) QApplication::processEvents();
        QApplication::processEvents();
        milliseconds.push_back(cpuMs() - before);
    }
    QObject::disconnect(counting);
    tellFrames(state, std::move(milliseconds));
}

}  // namespace stagecraft
