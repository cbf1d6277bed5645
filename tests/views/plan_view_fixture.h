#pragma once

#include "tests/support/window_rooms.h"
#include "tests/views/gantt_fixture.h"
#include "views/common/theme.h"
#include "views/plan/plan_view.h"
#include "views/timeline/gantt_chart.h"

#include <QTest>

namespace stagecraft {

/// A PlanView of a made-up run, shown in light colours, with what tests ask of it.
struct ShownPlanView {
    std::shared_ptr<PlanRun> run;
    PlanView view;

    explicit ShownPlanView(const MadeUpPipeline& wanted = {}) : run(madeUpRun(wanted)) {
        applyTheme(*qApp, ThemeChoice::light);
        view.resize(1000, 700);
        view.setRun(run);
        view.show();
    }
    TimePlot& plot() { return view.gantt().plot(); }
    const Timeline& timeline() const { return run->evaluation->timeline; }
    quint32 block(BlockKind kind, int stage, int microbatch, int miniBatch = 0) const {
        return timeline().find(kind, stage, microbatch, miniBatch);
    }
    QPointF centreOf(quint32 block) { return view.gantt().blockRect(block).center(); }
    QImage shot() {
        QTest::qWait(20);
        return plot().grab().toImage();
    }
};

}  // namespace stagecraft
