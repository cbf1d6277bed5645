// CPU time of one frame of the cluster's canvas at 1600x900 for 1,024 GPUs on 128 servers, each drawn, and
// for 16,384 GPUs on 2,048 servers, folded, through the widget's own paint path; and how long it takes to lay
// these out and to open one of them. Prints milliseconds.

#include "app/document/problems_model.h"
#include "app/shell/workbench.h"
#include "core/formats/native/formats.h"
#include "core/generation/cluster_templates.h"
#include "core/generation/template_catalogue.h"
#include "tests/support/window_rooms.h"
#include "views/common/theme.h"
#include "views/topology/cluster_editor.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_view.h"

#include <QApplication>
#include <QMouseEvent>

#include <benchmark/benchmark.h>

namespace stagecraft {
namespace {

constexpr QSize frame(1600, 900);
constexpr int servers = 128;
constexpr int gpusPerServer = 8;
/// All of it, some servers, tiles with text.
constexpr double zooms[] = {1, 4, 12};

/// 2,048 DGX H100 below leaf switches and spines.
Cluster hugeCluster() {
    const ClusterTemplate& machine = *findClusterTemplate("dgx-h100");
    ParameterValues values = defaultValues(machine.parameters);
    for (const char* assignment : {"servers=2048", "fabric=fat-tree"})
        setParameter(machine.parameters, values, assignment);
    return machine.make(values);
}

Cluster largeCluster() {
    SwitchedClusterSpec spec;
    spec.servers = servers;
    spec.gpusPerServer = gpusPerServer;
    spec.gpu = *findGpu("V100-SXM2-16GB");
    spec.networkBps = 12.5e9;
    return switchedCluster(spec);
}

/// A document with its views as in the window.
struct Desk {
    explicit Desk(Cluster cluster = largeCluster(), bool folds = false)
        : problems(workspace), bench(workspace) {
        Project project;
        project.problem.cluster = std::move(cluster);
        bench.resize(frame);
        workspace.openProject(project, {});
        bench.showCluster();
        bench.topology()->setFolding({.folds = folds});
        bench.show();
        QApplication::processEvents();
        canvas().grab();
    }
    TopologyCanvas& canvas() { return *bench.topology()->canvas(); }
    ClusterEditor& editor() { return *bench.topology()->editor(); }
    void zoomBy(double factor) {
        Viewport view = canvas().viewport();
        view.zoomAt(QRectF(canvas().rect()).center(), factor);
        canvas().setViewport(view);
    }

    Workspace workspace;
    ProblemsModel problems;
    Workbench bench;
};

void paint(TopologyCanvas& canvas) {
    canvas.repaint();
    QApplication::sendPostedEvents();
}

void pan(benchmark::State& state) {
    Desk desk;
    desk.zoomBy(zooms[state.range(0)]);
    int i = 0;
    for (auto _ : state) {
        Viewport view = desk.canvas().viewport();
        ++i;
        view.offset += QPointF(i % 2 ? 7 : -7, 3 * (i % 3 - 1));
        desk.canvas().setViewport(view);
        paint(desk.canvas());
    }
}

void zoom(benchmark::State& state) {
    Desk desk;
    desk.zoomBy(zooms[state.range(0)]);
    int i = 0;
    for (auto _ : state) {
        desk.zoomBy(++i % 2 ? 1.05 : 1 / 1.05);
        paint(desk.canvas());
    }
}

void panFolded(benchmark::State& state) {
    Desk desk(hugeCluster(), true);
    int i = 0;
    for (auto _ : state) {
        Viewport view = desk.canvas().viewport();
        view.offset += QPointF(++i % 2 ? 7 : -7, 0);
        desk.canvas().setViewport(view);
        paint(desk.canvas());
    }
}

void hoverFolded(benchmark::State& state) {
    Desk desk(hugeCluster(), true);
    int i = 0;
    for (auto _ : state) {
        desk.canvas().hoverDevice(++i % 16384);
        paint(desk.canvas());
    }
}

/// A scene anew, as after an edit.
void layOutFolded(benchmark::State& state) {
    const Cluster cluster = hugeCluster();
    for (auto _ : state) benchmark::DoNotOptimize(TopologyScene(cluster, nullptr).layout().bounds);
}

/// 22 MB of JSON.
void readHuge(benchmark::State& state) {
    const std::string text = writeCluster(hugeCluster());
    for (auto _ : state) benchmark::DoNotOptimize(readCluster(text, "F").deviceCount());
}

void openFolded(benchmark::State& state) {
    Desk desk(hugeCluster(), true);
    int i = 0;
    for (auto _ : state) {
        desk.bench.topology()->showSelection({{8 * (++i % 2048)}, {}, {}});
        paint(desk.canvas());
    }
}

void hover(benchmark::State& state) {
    Desk desk;
    int i = 0;
    for (auto _ : state) {
        desk.canvas().hoverDevice(++i % (servers * gpusPerServer));
        paint(desk.canvas());
    }
}

void send(TopologyCanvas& canvas, QEvent::Type type, QPointF at) {
    const bool moves = type == QEvent::MouseMove;
    QMouseEvent event(type, at, canvas.mapToGlobal(at), moves ? Qt::NoButton : Qt::LeftButton,
                      type == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&canvas, &event);
}

/// A server (or all of them, after selecting everything) under the pointer.
void drag(benchmark::State& state) {
    Desk desk;
    const QRectF box = desk.bench.topology()->scene().layout().servers[40].box;
    const QPointF from = desk.canvas().viewport().toScreen(box.topLeft() + QPointF(40, 10));
    if (state.range(0)) desk.editor().selectAll();
    send(desk.canvas(), QEvent::MouseButtonPress, from);
    int i = 0;
    for (auto _ : state) {
        ++i;
        send(desk.canvas(), QEvent::MouseMove, from + QPointF(30 + i % 50, 20 + i % 37));
        paint(desk.canvas());
    }
}

/// From the request to the painted frame, with the document, its undo stack and the problems.
void editOn(Desk& desk, benchmark::State& state) {
    // One that is in a box for many is opened: as part of that box it would not move.
    desk.bench.topology()->showSelection(desk.bench.topology()->scene().serverSelection(40));
    desk.editor().move({8, 8});
    if (!desk.workspace.undoStack()->canUndo()) return state.SkipWithError("nothing has moved");
    int i = 0;
    for (auto _ : state) {
        const double by = ++i % 2 ? 8 : -8;
        switch (state.range(0)) {
            case 0:
                desk.editor().move({by, by});
                break;
            case 1: {
                Cluster after = desk.workspace.problem().cluster;
                after.links[17].bandwidthBps *= i % 2 ? 0.25 : 4;
                desk.workspace.editCluster(std::move(after), QStringLiteral("Set bandwidth"));
                break;
            }
            default:
                if (i % 2)
                    desk.workspace.undoStack()->undo();
                else
                    desk.workspace.undoStack()->redo();
        }
        paint(desk.canvas());
    }
}

void edit(benchmark::State& state) {
    Desk desk;
    editOn(desk, state);
}

void editFolded(benchmark::State& state) {
    Desk desk(hugeCluster(), true);
    editOn(desk, state);
}

/// Of that size: the costs of an edited cluster, as planning and simulating begin with.
void costsOfHuge(benchmark::State& state) {
    Problem problem;
    problem.cluster = hugeCluster();
    problem.profile.layers.resize(2);
    for (auto _ : state) benchmark::DoNotOptimize(CostModel(problem).deviceCount());
}

void duplicateAll(benchmark::State& state) {
    Desk desk;
    for (auto _ : state) {
        desk.editor().select(desk.bench.topology()->scene().serverSelection(0));
        desk.editor().duplicate(16);
        desk.workspace.undoStack()->undo();
        paint(desk.canvas());
    }
}

}  // namespace
}  // namespace stagecraft

int main(int argc, char** argv) {
    using namespace stagecraft;
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    applyTheme(application, ThemeChoice::light);
    using Body = void (*)(benchmark::State&);
    const std::pair<const char*, Body> bodies[] = {{"pan", pan}, {"zoom", zoom}};
    for (const auto& [name, body] : bodies)
        for (int level = 0; level < 3; ++level)
            benchmark::RegisterBenchmark(name, body)->Arg(level)->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("hover", hover)->Unit(benchmark::kMillisecond);
    const std::pair<const char*, Body> folded[] = {{"16,384 GPUs: pan", panFolded},
                                                   {"16,384 GPUs: hover", hoverFolded},
                                                   {"16,384 GPUs: read", readHuge},
                                                   {"16,384 GPUs: lay out", layOutFolded},
                                                   {"16,384 GPUs: open one server", openFolded},
                                                   {"16,384 GPUs: costs", costsOfHuge}};
    for (const auto& [name, body] : folded)
        benchmark::RegisterBenchmark(name, body)->Unit(benchmark::kMillisecond);
    const std::pair<const char*, int> edits[] = {{"move", 0}, {"bandwidth", 1}, {"undo", 2}};
    for (const auto& [name, which] : edits)
        benchmark::RegisterBenchmark((std::string("16,384 GPUs: edit: ") + name).c_str(), editFolded)
            ->Arg(which)
            ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("drag a server", drag)->Arg(0)->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("drag all", drag)->Arg(1)->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("edit: move", edit)->Arg(0)->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("edit: bandwidth", edit)->Arg(1)->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("edit: undo", edit)->Arg(2)->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("16 servers more and back", duplicateAll)->Unit(benchmark::kMillisecond);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
