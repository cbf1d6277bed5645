#include "app/experiments/cell_opener.h"

#include "app/actions/window_keys.h"
#include "core/planners/planned_run.h"
#include "core/experiments/runner.h"
#include "core/runs/seen_problem.h"
#include "views/common/on_screen.h"
#include "views/plan/plan_view.h"

namespace stagecraft::app::experiments {

CellOpener::CellOpener(QObject* parent) : QObject(parent) {
    connect(&job_, &Job::ended, this, [this](bool, const QString& failure) {
        if (!failure.isEmpty()) emit statusChanged(failure);
    });
}

void CellOpener::make(std::shared_ptr<const Grid> grid, std::size_t cell, Show show) {
    const QString where = QString::fromStdString(grid->describe(grid->pointOf(cell)));
    emit statusChanged(tr("Planning %1").arg(where));
    const QString label = QString::fromStdString(grid->experiment().planners[grid->plannerOf(cell)].label);
    const QString title = where.isEmpty() ? label : label + QStringLiteral(", ") + where;
    struct Made {
        std::shared_ptr<const PlanRun> run;
        bool changes = false;
    };
    job_.start(
        [grid, cell](const JobContext& context) {
            return Made{std::make_shared<const PlanRun>(runOfCell(*grid, cell, context)),
                        grid->study(grid->pointOf(cell)).change.has_value()};
        },
        [this, title, show](const Made& made) {
            const QString start =
                made.changes ? tr("The plan is the one before the network changes") : QString();
            emit statusChanged(made.run->ok() ? start : QString::fromStdString(made.run->result.reason));
            if (made.run->ok()) show(made.run, title);
        });
}

void CellOpener::asProject(std::shared_ptr<const Grid> grid, std::size_t cell) {
    make(std::move(grid), cell, [this](const std::shared_ptr<const PlanRun>& run, const QString& title) {
        // With the plan's own mini-batches, which are then the problem's.
        const Problem& problem = run->costs->problem();
        PlanOrigin origin = originOf(*run);
        origin.plannedFor = SeenProblem(problem).by(makerOf(run->result.plan.planner));
        emit projectMade(
            Project{title.toStdString(), problem, {}, {}, {run->result.plan}, {}, {std::move(origin)}});
    });
}

void CellOpener::inWindow(std::shared_ptr<const Grid> grid, std::size_t cell, QWidget* parent) {
    make(std::move(grid), cell,
         [this, parent](const std::shared_ptr<const PlanRun>& run, const QString& title) {
             auto* plan = new PlanView(parent);
             plan->setWindowFlag(Qt::Window);
             plan->setAttribute(Qt::WA_DeleteOnClose);
             plan->setWindowTitle(title);
             placeOnScreen(*plan, QSize(1100, 640));
             closeByKeys(*plan);
             plan->setRun(run);
             plan->show();
             emit planShown(plan);
         });
}

}  // namespace stagecraft::app::experiments
