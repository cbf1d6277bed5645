#include "app/shell/planner_actions.h"

#include "app/document/file_names.h"
#include "app/jobs/custom_planners.h"
#include "app/panels/planner_panel.h"
#include "app/panels/project_tree.h"
#include "app/panels/setup_panel.h"
#include "app/shell/export_controller.h"
#include "app/shell/profile_intake.h"
#include "app/shell/session.h"
#include "app/shell/window_panels.h"
#include "app/shell/window_parts.h"
#include "app/shell/workbench.h"

#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>

namespace stagecraft::app::shell {

PlannerActions::PlannerActions(ActionRegister& actions, WindowDocument& document, Workbench& workbench,
                               WindowPanels& panels, QWidget* window)
    : QObject(window), actions_(actions), document_(document), workbench_(workbench), panels_(panels) {
    connect(&panels.tree(), &ProjectTree::contextMenuWanted, this, &PlannerActions::showMenu);
}

void PlannerActions::addFiles(ProfileIntake& profiles, ExportController& exports) {
    actions_.add({"cluster.replace", clusterMenu, tr("&Open cluster…"), {}, "open"},
                 [this] { emit openWanted(tr("Open cluster"), clusterFilter()); });
    actions_.add({"cluster.importClipboard", clusterMenu, tr("&Import from the clipboard"),
                  QKeySequence(tr("Ctrl+Shift+V"))},
                 [this] { emit clipboardWanted(); });
    actions_.add(
        {"cluster.measurements", clusterMenu, tr("Import &measurements…")},
        [this] { emit measurementsWanted(); },
        [this] { return isOpen() && !document_.workspace.problem().cluster.links.empty(); });
    actions_.add({"profile.replace", profileMenu, tr("&Open profile…"), {}, "open"},
                 [this] { emit openWanted(tr("Open profile"), profileFilter()); });
    actions_.add({"profile.generate", profileMenu, tr("&Generate profile…"), {}, "new"},
                 [&profiles] { profiles.generate(); });
    actions_.add(
        {"profile.save", profileMenu, tr("&Save profile as…"), {}, "save"},
        [&exports] { exports.saveProfile(); }, [this] { return isOpen(); });
}

void PlannerActions::addPlanning() {
    addRunning();
    addPlanningAgain();
    const auto idle = [this] { return isOpen() && !document_.planning.isPlanning(); };
    for (const std::unique_ptr<Planner>& planner : allPlanners()) {
        const PlannerDescription& description = planner->description();
        const std::string id = "plan.run." + description.id;
        const bool first = planner == allPlanners().front();
        actions_.add(
            {id.c_str(),
             planMenu,
             tr("Run %1").arg(QString::fromStdString(description.title)),
             {},
             "",
             first,
             "Run one &planner"},
            [this, chosen = QString::fromStdString(description.id)] { run(chosen); }, idle);
    }
    addCustom();
    actions_.add(
        {"plan.setup", planMenu, tr("&Setup: microbatches, mode, memory"), {}, "setup", true},
        [this] {
            panels_.side().show();
            panels_.setup().focusFirst();
        },
        [this] { return isOpen(); });
}

void PlannerActions::addRunning() {
    const auto idle = [this] { return isOpen() && !document_.planning.isPlanning(); };
    actions_.add(
        {"plan.run", planMenu, tr("&Run"), QKeySequence(tr("F5")), "run"},
        [this] { panels_.planner().run(); }, idle);
    actions_.add(
        {"plan.cancel", planMenu, tr("&Cancel"), QKeySequence(tr("Shift+F5")), "cancel"},
        [this] { document_.planning.cancel(); }, [this] { return document_.planning.isBusy(); });
    actions_.add(
        {"plan.runAll", planMenu, tr("Run &all planners"), QKeySequence(tr("Ctrl+F5")), "compare"},
        [this] { run({}); }, idle);
}

void PlannerActions::addPlanningAgain() {
    PlanningController& planning = document_.planning;
    actions_.add(
        {"plan.again", planMenu, tr("Plan out-of-date plans a&gain"), QKeySequence(tr("Ctrl+Shift+F5")),
         "run"},
        [&planning] { planning.planAgain(); },
        [this, &planning] {
            return isOpen() && !planning.isPlanning() && !document_.workspace.plansToPlanAgain().empty();
        });
    QAction* always =
        actions_.add({"plan.alwaysAgain", planMenu, tr("Plan again after eac&h edit"), {}, ""}, [this] {
            const bool on = actions_.action(QStringLiteral("plan.alwaysAgain"))->isChecked();
            Preferences::setPlansAgain(on);
            document_.planning.setPlansAgain(on);
            if (on) document_.planning.planAgain();
        });
    always->setCheckable(true);
    always->setChecked(Preferences::plansAgain());
    planning.setPlansAgain(Preferences::plansAgain());
}

void PlannerActions::addCustom() {
    custom_ = new CustomPlanners(this);
    connect(custom_, &CustomPlanners::changed, &panels_.planner(), &PlannerPanel::listCustom);
    connect(custom_, &CustomPlanners::changed, this, [this] {
        std::vector<ProblemRow> rows;
        for (const RefusedProgram& each : custom_->folder().refused)
            rows.push_back({Severity::warning,
                            QFileInfo(QString::fromStdString(each.file)).fileName(),
                            QString::fromStdString(each.reason),
                            {}});
        document_.problems.setPrograms(std::move(rows));
    });
    customFolder_ = Preferences::programsFolder();
    const auto any = [this] { return !customFolder_.isEmpty(); };
    actions_.add({"plan.customFolder", planMenu, tr("Folder of c&ustom planners…"), {}, "open"},
                 [this] { chooseFolder(); });
    constexpr const char* paletteAlone = "";
    actions_.add(
        {"plan.customAgain", paletteAlone, tr("Read custom planners again"), {}, ""},
        [this] { setFolder(customFolder_); }, any);
    actions_.add(
        {"plan.noCustom", paletteAlone, tr("Without custom planners"), {}, ""}, [this] { setFolder({}); },
        any);
    if (any()) custom_->read(customFolder_);
}

void PlannerActions::chooseFolder() {
    const QString folder = QFileDialog::getExistingDirectory(panels_.planner().window(),
                                                             tr("Folder of custom planners"), customFolder_);
    if (!folder.isEmpty()) setFolder(folder);
}

void PlannerActions::setFolder(const QString& folder) {
    Preferences::setProgramsFolder(folder);
    customFolder_ = folder;
    custom_->read(folder);
    actions_.refresh();
}

void PlannerActions::addPlans() {
    const auto any = [this] { return isOpen() && chosen(); };
    actions_.add({"plan.open", planMenu, tr("&Open plan…"), {}, "open", true},
                 [this] { emit openWanted(tr("Open plan"), tr("Plans (*.json);;All files (*)")); });
    actions_.add(
        {"plan.rename", planMenu, tr("Re&name plan"), QKeySequence(tr("F2")), "rename"},
        [this] { panels_.tree().startRenaming(chosenId()); }, any);
    actions_.add(
        {"plan.duplicate", planMenu, tr("&Duplicate plan"), {}, "duplicate"},
        [this] {
            if (const int copy = document_.workspace.duplicatePlan(chosenId())) workbench_.showPlan(copy);
        },
        [this] { return isOpen() && chosen() && chosen()->isPlan(); });
    actions_.add(
        {"plan.remove", planMenu, tr("Re&move plan"), {}, "remove"},
        [this] { document_.workspace.removePlan(chosenId()); }, any);
}

void PlannerActions::run(const QString& planner) {
    panels_.planner().choose(planner);
    panels_.planner().run();
}

const PlanItem* PlannerActions::chosen() const { return workbench_.planInView(); }

int PlannerActions::chosenId() const { return chosen() ? chosen()->id : 0; }

void PlannerActions::showMenu(int plan, const QPoint& globalPosition) {
    workbench_.showPlan(plan);
    QMenu menu;
    for (const char* action : {"plan.details", "plan.rename", "plan.duplicate", "plan.remove", "file.export"})
        menu.addAction(actions_.action(QLatin1String(action)));
    menu.exec(globalPosition);
}

}  // namespace stagecraft::app::shell
