#include "app/actions/command_palette.h"
#include "app/actions/shortcut_help.h"
#include "app/document/version.h"
#include "app/experiments/experiments_actions.h"
#include "app/panels/planner_panel.h"
#include "app/panels/project_tree.h"
#include "app/panels/setup_panel.h"
#include "app/pareto/pareto_page.h"
#include "app/shell/main_window.h"
#include "app/shell/menus.h"
#include "app/shell/profile_intake.h"
#include "app/shell/workbench.h"
#include "app/training/training_page.h"
#include "core/formats/profiles/profile_format.h"
#include "core/formats/topology/topology_format.h"
#include "views/common/elided_label.h"

#include <QActionGroup>
#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QTabBar>
#include <QTimer>

namespace stagecraft {
namespace {

constexpr int menuGoneMs = 20;

/// "Layer profiles (*.json *.txt);;All files (*)"
QString fileFilter(const QString& what, const std::vector<std::vector<std::string>>& suffixes) {
    QStringList patterns;
    for (const std::vector<std::string>& some : suffixes)
        for (const std::string& suffix : some) patterns << "*." + QString::fromStdString(suffix);
    patterns.removeDuplicates();
    return QStringLiteral("%1 (%2);;%3").arg(what, patterns.join(' '), MainWindow::tr("All files (*)"));
}

}  // namespace

void MainWindow::makeFileActions() {
    actions_.add({"file.new", fileMenu, tr("&New project"), QKeySequence::New, "new"},
                 [this] { newProject(); });
    actions_.add(
        {"file.newExperiment", fileMenu, tr("New e&xperiment"), QKeySequence(tr("Ctrl+Alt+N")), "new"},
        [this] { experiments_->newExperiment(); });
    actions_.add({"file.open", fileMenu, tr("&Open…"), QKeySequence::Open, "open"}, [this] {
        chooseFile(tr("Open"),
                   fileFilter(tr("All that can be opened"), {profileSuffixes(), topologySuffixes()}));
    });
    actions_.add({"file.save", fileMenu, tr("&Save"), QKeySequence::Save, "save", true}, [this] { save(); });
    actions_.add({"file.saveAs", fileMenu, tr("Save &as…"), QKeySequence(tr("Ctrl+Shift+S"))}, [this] {
        if (const QString path = askWhereToSave(); !path.isEmpty()) startSaving(path);
    });
    actions_.add({"file.export", fileMenu, tr("&Export figure…"), QKeySequence(tr("Ctrl+E")), "export", true},
                 [this] { exportInView(); });
    actions_.add({"file.close", fileMenu, tr("&Close project"), QKeySequence::Close, "close", true},
                 [this] { closeProject(); });
    actions_.add({"file.quit", fileMenu, tr("&Quit"), QKeySequence(tr("Ctrl+Q"))}, [this] { close(); });
}

void MainWindow::makeEditAndViewActions() {
    QUndoStack* undo = workspace_.undoStack();
    QAction* undoAction = actions_.add({"edit.undo", editMenu, tr("&Undo"), QKeySequence::Undo, "undo"},
                                       [undo] { undo->undo(); });
    QAction* redoAction = actions_.add({"edit.redo", editMenu, tr("&Redo"), QKeySequence::Redo, "redo"},
                                       [undo] { undo->redo(); });
    // Whichever the platform prefers, both are known.
    redoAction->setShortcuts({QKeySequence(tr("Ctrl+Shift+Z")), QKeySequence(tr("Ctrl+Y"))});
    const auto showUndo = [undo, undoAction, redoAction] {
        undoAction->setEnabled(undo->canUndo());
        redoAction->setEnabled(undo->canRedo());
        undoAction->setText(undo->canUndo() ? tr("&Undo: %1").arg(undo->undoText()) : tr("&Undo"));
        redoAction->setText(undo->canRedo() ? tr("&Redo: %1").arg(undo->redoText()) : tr("&Redo"));
    };
    connect(undo, &QUndoStack::indexChanged, this, showUndo);
    connect(undo, &QUndoStack::cleanChanged, this, showUndo);
    // What it said of an edit is not true of the document before or after that.
    connect(undo, &QUndoStack::indexChanged, hover_,
            [this] { static_cast<ElidedLabel*>(hover_)->setWhole({}); });
    showUndo();
    actions_.add({"edit.copyPicture", editMenu, tr("&Copy as picture"), QKeySequence(tr("Ctrl+Shift+C")),
                  "copy", true},
                 [this] { copyPicture(); });

    actions_.add({"view.cluster", viewMenu, tr("&Cluster"), QKeySequence(tr("Alt+1")), "cluster"},
                 [this] { workbench_->showCluster(); });
    actions_.add({"view.profile", viewMenu, tr("&Profile"), QKeySequence(tr("Alt+2")), "profile"},
                 [this] { workbench_->showProfile(); });
    actions_.add({"view.compare", viewMenu, tr("C&ompare plans"), QKeySequence(tr("Alt+3")), "compare"},
                 [this] { workbench_->showCompare(); });
    actions_.add({"view.training", viewMenu, tr("T&raining"), QKeySequence(tr("Alt+4")), "training"},
                 [this] { workbench_->showTraining(); });
    actions_.add({"view.pareto", viewMenu, tr("&Memory against speed"), QKeySequence(tr("Alt+5")), "pareto"},
                 [this] { workbench_->showPareto(); });
    connect(workbench_->pareto(), &ParetoPage::stateChanged, this, &MainWindow::updateActions);
    actions_.add({"view.nextTab", viewMenu, tr("&Next tab"), QKeySequence(tr("Ctrl+PgDown"))}, [this] {
        workbench_->setCurrentIndex((workbench_->currentIndex() + 1) % workbench_->count());
    });
    actions_.add({"view.previousTab", viewMenu, tr("Pre&vious tab"), QKeySequence(tr("Ctrl+PgUp"))}, [this] {
        workbench_->setCurrentIndex((workbench_->currentIndex() + workbench_->count() - 1) %
                                    workbench_->count());
    });
    actions_.add({"view.project", viewMenu, tr("Project panel"), QKeySequence(tr("Ctrl+B")), "", true},
                 [this] { side_->setVisible(!side_->isVisible()); });
    actions_.add({"view.problems", viewMenu, tr("Pro&blems"), QKeySequence(tr("Ctrl+Shift+M")), "warning"},
                 [this] { problemsDock_->setVisible(!problemsDock_->isVisible()); });

    auto* themes = new QActionGroup(this);
    const std::pair<ThemeChoice, ActionSpec> choices[] = {
        {ThemeChoice::system, {"view.themeSystem", viewMenu, tr("Colours of the &system"), {}, "", true}},
        {ThemeChoice::light, {"view.themeLight", viewMenu, tr("&Light colours"), {}}},
        {ThemeChoice::dark, {"view.themeDark", viewMenu, tr("&Dark colours"), {}}}};
    for (const auto& [choice, spec] : choices) {
        // Once the menu is off the screen: every widget is styled anew.
        QAction* action = actions_.add(spec, [this, choice = choice] {
            QTimer::singleShot(menuGoneMs, this, [this, choice] { setTheme(choice); });
        });
        action->setCheckable(true);
        action->setChecked(choice == Preferences::theme());
        themes->addAction(action);
    }
}

void MainWindow::makePlanActions() {
    actions_.add({"cluster.replace", clusterMenu, tr("&Open cluster…"), {}, "open"}, [this] {
        chooseFile(tr("Open cluster"), fileFilter(tr("Clusters and topologies"), {topologySuffixes()}));
    });
    actions_.add({"cluster.importClipboard", clusterMenu, tr("&Import from the clipboard"),
                  QKeySequence(tr("Ctrl+Shift+V"))},
                 [this] { importClipboard(); });
    actions_.add({"profile.replace", profileMenu, tr("&Open profile…"), {}, "open"}, [this] {
        chooseFile(tr("Open profile"), fileFilter(tr("Layer profiles"), {profileSuffixes()}));
    });
    actions_.add({"profile.generate", profileMenu, tr("&Generate profile…"), {}, "new"},
                 [this] { intake_->generate(); });
    actions_.add({"profile.save", profileMenu, tr("&Save profile as…"), {}, "save"},
                 [this] { saveProfile(); });
    actions_.add({"plan.run", planMenu, tr("&Run"), QKeySequence(tr("F5")), "run"},
                 [this] { planner_->run(); });
    actions_.add({"plan.cancel", planMenu, tr("&Cancel"), QKeySequence(tr("Shift+F5")), "cancel"},
                 [this] { planning_.cancel(); });
    actions_.add({"plan.runAll", planMenu, tr("Run &all planners"), QKeySequence(tr("Ctrl+F5")), "compare"},
                 [this] {
                     planner_->choose({});
                     planner_->run();
                 });
    actions_.add({"plan.again", planMenu, tr("Plan out-of-date plans a&gain"),
                  QKeySequence(tr("Ctrl+Shift+F5")), "run"},
                 [this] { planning_.planAgain(); });
    QAction* always =
        actions_.add({"plan.alwaysAgain", planMenu, tr("Plan again after each &edit"), {}, ""}, [this] {
            const bool on = actions_.action(QStringLiteral("plan.alwaysAgain"))->isChecked();
            Preferences::setPlansAgain(on);
            planning_.setPlansAgain(on);
            if (on) planning_.planAgain();
        });
    always->setCheckable(true);
    always->setChecked(Preferences::plansAgain());
    planning_.setPlansAgain(Preferences::plansAgain());
    for (const std::unique_ptr<Planner>& planner : planners()) {
        const std::string id = "plan.run." + planner->description().id;
        actions_.add({id.c_str(),
                      planMenu,
                      tr("Run %1").arg(QString::fromStdString(planner->description().title)),
                      {},
                      "",
                      planner == planners().front()},
                     [this, chosen = QString::fromStdString(planner->description().id)] {
                         planner_->choose(chosen);
                         planner_->run();
                     });
    }
    actions_.add({"plan.setup", planMenu, tr("&Setup: microbatches, mode, memory"), {}, "setup", true},
                 [this] {
                     side_->show();
                     setup_->focusFirst();
                 });
    actions_.add({"plan.open", planMenu, tr("&Open plan…"), {}, "open", true},
                 [this] { chooseFile(tr("Open plan"), tr("Plans (*.json);;All files (*)")); });
    actions_.add({"plan.rename", planMenu, tr("Re&name plan"), QKeySequence(tr("F2")), "rename"},
                 [this] { tree_->startRenaming(chosenPlan()); });
    actions_.add({"plan.duplicate", planMenu, tr("&Duplicate plan"), {}, "duplicate"}, [this] {
        if (const int copy = workspace_.duplicatePlan(chosenPlan())) workbench_->showPlan(copy);
    });
    actions_.add({"plan.remove", planMenu, tr("Re&move plan"), {}, "remove"},
                 [this] { workspace_.removePlan(chosenPlan()); });
}

void MainWindow::makeHelpActions() {
    actions_.add(
        {"help.palette", helpMenu, tr("&Find a command…"), QKeySequence(tr("Ctrl+Shift+P")), "search"},
        [this] { (new CommandPalette(actions_, this))->show(); });
    actions_.add({"help.keys", helpMenu, tr("&Keys"), QKeySequence(Qt::Key_Question), "help"},
                 [this] { (new ShortcutHelp(actions_, this))->show(); });
    actions_.add({"help.about", helpMenu, tr("&About Stagecraft"), {}, "info"}, [this] { showAbout(); });
}

void MainWindow::addRecentMenu() {
    QMenu* file = menuBar()->actions().front()->menu();
    auto* recent = new QMenu(tr("Open &recent"), file);
    file->insertMenu(actions_.action(QStringLiteral("file.save")), recent);
    connect(recent, &QMenu::aboutToShow, this, [this, recent] {
        recent->clear();
        for (const QString& path : Preferences::recentFiles())
            recent->addAction(QDir::toNativeSeparators(path), this, [this, path] { openFile(path); });
        if (recent->isEmpty()) recent->addAction(tr("Nothing yet"))->setEnabled(false);
    });
}

void MainWindow::updateActions() {
    const bool open = workspace_.isOpen();
    const bool planning = planning_.isPlanning();
    const PlanItem* item = workbench_->planInView();
    const bool shown = workbench_->currentPlan() != 0 && item && item->run && item->run->ok();
    const bool drawn = open && workbench_->currentKey() == QLatin1String("cluster") &&
                       !workspace_.problem().cluster.devices.empty();
    const bool compared = open && workbench_->currentKey() == QLatin1String("compare");
    for (QAction* action : actions_.all()) {
        const QString id = action->objectName();
        if (id.startsWith(QLatin1String("plan.run"))) action->setEnabled(open && !planning);
        for (const char* needsProject :
             {"file.save", "file.saveAs", "file.close", "view.cluster", "view.profile", "view.compare",
              "view.training", "view.pareto", "view.nextTab", "view.previousTab", "view.project",
              "profile.save", "plan.setup"})
            if (id == QLatin1String(needsProject)) action->setEnabled(open);
        for (const char* needsPlan : {"plan.rename", "plan.remove"})
            if (id == QLatin1String(needsPlan)) action->setEnabled(open && item);
        if (id == QLatin1String("plan.duplicate")) action->setEnabled(open && item && item->isPlan());
    }
    const bool trained =
        open && workbench_->currentKey() == QLatin1String("training") && workbench_->training()->hasResults();
    const bool curves =
        open && workbench_->currentKey() == QLatin1String("pareto") && workbench_->pareto()->hasResults();
    actions_.action(QStringLiteral("plan.cancel"))->setEnabled(planning_.isBusy());
    actions_.action(QStringLiteral("plan.again"))
        ->setEnabled(open && !planning && !workspace_.plansToPlanAgain().empty());
    actions_.action(QStringLiteral("file.export"))
        ->setEnabled(shown || drawn || trained || curves || (compared && !workspace_.plans().empty()));
    actions_.action(QStringLiteral("edit.copyPicture"))->setEnabled(open);
}

void MainWindow::setTheme(ThemeChoice choice) {
    Preferences::setTheme(choice);
    applyTheme(*qApp, choice);
    actions_.refreshIcons();
    showProblemCount();
}

void MainWindow::showPlanMenu(int id, const QPoint& globalPosition) {
    workbench_->showPlan(id);
    QMenu menu;
    for (const char* action : {"plan.rename", "plan.duplicate", "plan.remove", "file.export"})
        menu.addAction(actions_.action(QLatin1String(action)));
    menu.exec(globalPosition);
}

void MainWindow::showAbout() {
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("About Stagecraft"),
                                tr("<b>Stagecraft %1</b><br>A workbench for planning pipeline-parallel "
                                   "training.<br>GPL-3.0-or-later.")
                                    .arg(QLatin1String(version())),
                                QMessageBox::Close, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

}  // namespace stagecraft
