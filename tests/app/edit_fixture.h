#pragma once

#include "app/plan/edit_bar.h"
#include "tests/support/window_rooms.h"
#include "app/plan/plan_editor.h"
#include "app/plan/plan_page.h"
#include "app/shell/workbench.h"
#include "core/formats/files/project_file.h"
#include "tests/app/window_fixture.h"
#include "views/strip/partition_strip.h"
#include "views/timeline/gantt_chart.h"

#include <QMouseEvent>

namespace stagecraft {

inline const std::string sampleFile = STAGECRAFT_SOURCE_DIR "/samples/bert-large-8x4.stagecraft.json";

/// BERT-large on 8 servers of 4 GPUs with SPP's plan for it.
inline const Project& bertWithPlan() {
    static const Project project = [] {
        Project opened = openProject(sampleFile);
        const Planner* spp = findPlanner("spp");
        opened.plans = {
            runPlanner(*spp, CostModel(opened.problem), defaultValues(spp->description().parameters)).plan};
        return opened;
    }();
    return project;
}

struct OpenWindow {
    MainWindow window;

    OpenWindow() {
        window.resize(1280, 800);
        window.show();
        window.workspace().openProject(bertWithPlan(), {});
        [this] { QTRY_VERIFY(page().run() && page().run()->ok() && page().editor()); }();
        [this] { QTRY_VERIFY(!window.planning().isBusy()); }();
    }
    ~OpenWindow() { window.workspace().undoStack()->setClean(); }

    int id() { return window.workbench().currentPlan(); }  // an edited plan comes to front
    PlanPage& page() { return *window.workbench().planPage(id()); }
    PlanEditor& editor() { return *page().editor(); }
    PartitionStrip& strip() { return editor().bar().strip(); }
    const PlanItem& item() { return *window.workspace().plan(id()); }
    const Plan& plan() { return item().plan; }
    QUndoStack& undo() { return *window.workspace().undoStack(); }
    PlanView& view() { return page().view(); }
    double timeS() { return item().run->iterationTimeS(); }

    QPoint boundary(int stage) {
        const QRectF box = strip().parts().boxOf(stage)->layers;
        return {qRound(box.right()), qRound(box.center().y())};
    }
    QPoint edge(int layer) {
        return {qRound(strip().parts().edges[static_cast<std::size_t>(layer)]), boundary(0).y()};
    }
    static void move(QWidget& widget, QPointF at, Qt::MouseButtons buttons = Qt::LeftButton) {
        QMouseEvent event(QEvent::MouseMove, at, widget.mapToGlobal(at), Qt::NoButton, buttons,
                          Qt::NoModifier);
        QApplication::sendEvent(&widget, &event);
    }
    void dragBoundary(int stage, int layers) {
        const QPoint from = boundary(stage);
        const QPoint to = edge(plan().stages[static_cast<std::size_t>(stage)].lastLayer + 1 + layers);
        QTest::mousePress(&strip(), Qt::LeftButton, {}, from);
        move(strip(), to);
        QTest::mouseRelease(&strip(), Qt::LeftButton, {}, to);
    }
    TimePlot& plot() { return view().gantt().plot(); }
    const Timeline& timeline() { return item().run->evaluation->timeline; }
};

}  // namespace stagecraft
