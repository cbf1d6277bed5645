// The profile's view with thousands of nodes: milliseconds to open it, and of CPU time for a frame at
// 1600x900 through the widgets' own paint path.

#include "core/editing/profile_edit.h"
#include "core/graph/grouping.h"
#include "tests/support/window_rooms.h"
#include "views/common/theme.h"
#include "views/profile/graph/network_view.h"
#include "views/profile/layer_bars.h"
#include "views/profile/layer_curves.h"
#include "views/profile/layer_scatter.h"
#include "views/profile/profile_view.h"

#include <QApplication>
#include <QScrollBar>
#include <QTableView>
#include <QWheelEvent>

#include <benchmark/benchmark.h>

#include <utility>

namespace stagecraft {
namespace {

constexpr QSize frame(1600, 900);

/// A network of cells of five nodes, each a layer of its own or each cell a layer.
LayerProfile network(int nodes, bool grouped) {
    LayerProfile profile;
    profile.name = "cells";
    NetworkGraph& graph = profile.operators;
    std::vector<int> cuts;
    for (int node = 0; node < nodes; ++node) {
        const double time = 1e-4 * (1 + node * 7919 % 13);
        graph.nodes.push_back({"node" + std::to_string(node) + " Conv2d(64, 64)", time, 2 * time,
                               1e5 * (node % 11), 4e5, 4e5, 4e5, time});
        const int cell = node / 5 * 5, part = node % 5;
        if (part == 0 && node > 0) graph.edges.push_back({node - 1, node});
        if (part > 0 && part < 4) {
            graph.edges.push_back({cell, node});
            if (cell + 4 < nodes) graph.edges.push_back({node, cell + 4});
        }
        if (!grouped || part == 4 || part == 0 || node + 1 == nodes) cuts.push_back(node);
    }
    graph.layerOf.assign(graph.nodes.size(), 0);
    groupOperators(profile, cuts);
    return profile;
}

void settle(QWidget& widget) {
    widget.resize(frame);
    widget.show();
    for (int turn = 0; turn < 5; ++turn) QApplication::processEvents();
}

/// From the profile to its first picture.
void open(benchmark::State& state, ProfileView::Chart chart) {
    const LayerProfile profile = network(static_cast<int>(state.range(0)), false);
    ProfileView view;
    settle(view);
    for (auto _ : state) {
        view.setProfile(profile);
        view.showChart(chart);
        QApplication::processEvents();
        view.grab();
        state.PauseTiming();
        view.setProfile({});
        QApplication::processEvents();
        state.ResumeTiming();
    }
}

void openBars(benchmark::State& state) { open(state, ProfileView::Chart::bars); }
void openGraph(benchmark::State& state) { open(state, ProfileView::Chart::graph); }

void scrollTable(benchmark::State& state) {
    ProfileView view;
    view.setProfile(network(static_cast<int>(state.range(0)), false));
    settle(view);
    QScrollBar* bar = view.table()->verticalScrollBar();
    int i = 0;
    for (auto _ : state) {
        bar->setValue((i += 7) % std::max(1, bar->maximum()));
        view.table()->viewport()->repaint();
    }
}

void edit(benchmark::State& state) {
    LayerProfile profile = network(static_cast<int>(state.range(0)), false);
    ProfileView view;
    view.setProfile(profile);
    settle(view);
    double value = 1;
    for (auto _ : state) {
        profile = setLayerNumber(profile, {profile.layerCount() / 2}, &Layer::forwardS, value += 1e-3);
        view.setProfile(profile, false);
        QApplication::processEvents();
    }
}

/// Zooms in and out again, one step per frame.
void zoom(benchmark::State& state, QWidget& widget) {
    int i = 0;
    for (auto _ : state) {
        const QPointF at(widget.width() / 3.0, widget.height() / 2.0);
        QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, i++ % 24 < 12 ? 120 : -120}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&widget, &event);
        widget.repaint();
    }
}

template <class Chart>
void zoomChart(benchmark::State& state) {
    Chart chart;
    chart.setProfile(network(static_cast<int>(state.range(0)), false));
    settle(chart);
    zoom(state, chart);
}

void zoomGraph(benchmark::State& state) {
    NetworkView view;
    view.setProfile(network(static_cast<int>(state.range(0)), state.range(1) != 0));
    settle(view);
    view.graphviz().cancel();
    zoom(state, *view.canvas());
}

void drawGraph(benchmark::State& state) {
    NetworkView view;
    view.setProfile(network(static_cast<int>(state.range(0)), true));
    settle(view);
    view.canvas()->fit();
    for (auto _ : state) view.canvas()->repaint();
}

void drawScatter(benchmark::State& state) {
    LayerScatter scatter;
    scatter.setProfile(network(static_cast<int>(state.range(0)), false));
    settle(scatter);
    for (auto _ : state) {
        scatter.fit();  // drawn anew
        scatter.repaint();
    }
}

void layOut(benchmark::State& state) {
    const NetworkOutline outline = outlineOf(network(static_cast<int>(state.range(0)), true));
    for (auto _ : state) benchmark::DoNotOptimize(layeredLayout(outline).bounds);
}

}  // namespace
}  // namespace stagecraft

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    using namespace stagecraft;
    applyTheme(application, ThemeChoice::light);
    using Body = void (*)(benchmark::State&);
    const std::pair<const char*, Body> bodies[] = {
        {"open on bars", openBars},          {"open on the graph", openGraph},
        {"scroll the table", scrollTable},   {"edit a cell", edit},
        {"zoom bars", zoomChart<LayerBars>}, {"zoom curves", zoomChart<LayerCurves>},
        {"draw the scatter", drawScatter},   {"draw the whole graph", drawGraph},
        {"lay out at once", layOut}};
    for (const auto& [name, body] : bodies)
        benchmark::RegisterBenchmark(name, body)->Arg(5000)->Unit(benchmark::kMillisecond);
    for (const int grouped : {0, 1})
        benchmark::RegisterBenchmark("zoom the graph", zoomGraph)
            ->Args({5000, grouped})
            ->Unit(benchmark::kMillisecond);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
