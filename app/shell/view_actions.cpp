#include "app/shell/view_actions.h"

#include "app/compare/compare_page.h"
#include "app/pareto/pareto_page.h"
#include "app/plan/plan_editor.h"
#include "app/plan/plan_page.h"
#include "app/shell/export_controller.h"
#include "app/shell/session.h"
#include "app/shell/window_panels.h"
#include "app/shell/window_parts.h"
#include "app/shell/workbench.h"

#include <QActionGroup>
#include <QApplication>
#include <QDockWidget>
#include <QMainWindow>
#include <QStatusBar>
#include <QTimer>

namespace stagecraft::app::shell {
namespace {

constexpr int menuGoneMs = 20;

}  // namespace

namespace {

/// The id of the action that goes to a page.
std::string viewActionOf(const Page::About& about) { return "view." + about.key.toStdString(); }

}  // namespace

ViewActions::ViewActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench,
                         WindowPanels& panels, ExportController& exports, QMainWindow* window)
    : QObject(window), actions_(actions), workspace_(workspace), workbench_(workbench) {
    addUndo();
    actions_.add(
        {"edit.copyPicture", editMenu, tr("&Copy as picture"), QKeySequence(tr("Ctrl+Shift+C")), "copy",
         true},
        [&exports] { exports.copyPicture(); }, [this] { return workspace_.isOpen(); });
    addTableCopies(*window);
    addTabs();
    announceTabs();
    addPanels(panels);
    addThemes();
}

void ViewActions::addTableCopies(QMainWindow& window) {
    const auto compared = [this] {
        return workspace_.isOpen() && workbench_.currentKey() == QLatin1String("compare") &&
               !workspace_.plans().empty();
    };
    for (const TableFormat& format : tableFormats()) {
        const QString title = QString::fromUtf8(format.title.data(), static_cast<int>(format.title.size()));
        const std::string id = "edit.copyTable." + std::string(format.id);
        const auto copy = [this, &window, &format, title] {
            workbench_.compare()->table().copyAs(format);
            window.statusBar()->showMessage(tr("Copied as %1").arg(title), messageMs);
        };
        actions_.add({id.c_str(), editMenu, tr("Copy comparison as %1").arg(title)}, copy, compared);
    }
}

void ViewActions::addUndo() {
    QUndoStack* undo = workspace_.undoStack();
    // What is tried goes back before what was done.
    const auto trying = [this]() -> PlanEditor* {
        PlanPage* page = workbench_.planPage(workbench_.currentPlan());
        return page ? page->editor() : nullptr;
    };
    const auto undoesTrial = [trying] { return trying() && trying()->canUndoTrial(); };
    const auto redoesTrial = [trying] { return trying() && trying()->canRedoTrial(); };
    QAction* undoAction = actions_.add(
        {"edit.undo", editMenu, tr("&Undo"), QKeySequence::Undo, "undo"},
        [=] { undoesTrial() ? trying()->undoTrial() : undo->undo(); },
        [=] { return undoesTrial() || undo->canUndo(); });
    QAction* redoAction = actions_.add(
        {"edit.redo", editMenu, tr("&Redo"), QKeySequence::Redo, "redo"},
        [=] { redoesTrial() ? trying()->redoTrial() : undo->redo(); },
        [=] { return redoesTrial() || undo->canRedo(); });
    // Whichever the platform prefers, both are known.
    redoAction->setShortcuts({QKeySequence(tr("Ctrl+Shift+Z")), QKeySequence(tr("Ctrl+Y"))});
    const auto showTexts = [=] {
        undoAction->setText(undoesTrial()     ? tr("&Undo: what is tried")
                            : undo->canUndo() ? tr("&Undo: %1").arg(undo->undoText())
                                              : tr("&Undo"));
        redoAction->setText(redoesTrial()     ? tr("&Redo: what was tried")
                            : undo->canRedo() ? tr("&Redo: %1").arg(undo->redoText())
                                              : tr("&Redo"));
    };
    connect(undo, &QUndoStack::indexChanged, this, showTexts);
    connect(undo, &QUndoStack::cleanChanged, this, showTexts);
    connect(&workbench_, &Workbench::trialShown, this, showTexts);
    connect(&workbench_, &Workbench::planShown, this, showTexts);
    showTexts();
}

void ViewActions::addTabs() {
    const auto open = [this] { return workspace_.isOpen(); };
    // The keys of a page work as soon as one has gone to it.
    const auto add = [&](const ActionSpec& spec, auto go, std::function<bool()> can) {
        actions_.add(
            spec,
            [this, go] {
                go();
                workbench_.focusPage();
            },
            std::move(can));
    };
    const auto turn = [this](int by) {
        const int count = workbench_.count();
        int tab = workbench_.currentIndex();
        do tab = (tab + count + by) % count;
        while (!workbench_.isTabVisible(tab));
        workbench_.setCurrentIndex(tab);
    };
    std::vector<Page*> pages = workbench_.pages();
    std::sort(pages.begin(), pages.end(),
              [](const Page* a, const Page* b) { return a->about().number < b->about().number; });
    for (const Page* page : pages) {
        const Page::About& about = page->about();
        add(
            {viewActionOf(about).c_str(), viewMenu, about.menuText,
             QKeySequence(QStringLiteral("Alt+%1").arg(about.number)), about.icon},
            [this, key = about.key] { workbench_.showKey(key); },
            [this, page] { return workspace_.isOpen() && page->isOffered(); });
    }
    add(
        {"view.nextTab", viewMenu, tr("&Next tab"), QKeySequence(tr("Ctrl+PgDown"))}, [turn] { turn(1); },
        open);
    add(
        {"view.previousTab", viewMenu, tr("Pre&vious tab"), QKeySequence(tr("Ctrl+PgUp"))},
        [turn] { turn(-1); }, open);
}

void ViewActions::announceTabs() {
    for (const Page* page : workbench_.pages())
        if (const Page::About& about = page->about(); !about.tip.isEmpty())
            workbench_.setTabToolTip(
                workbench_.indexOf(page),
                actions_.withKey(about.tip, QString::fromStdString(viewActionOf(about))));
}

void ViewActions::addPanels(WindowPanels& panels) {
    const auto turn = [](QDockWidget& dock) { dock.setVisible(!dock.isVisible()); };
    actions_.add(
        {"view.project", viewMenu, tr("Project panel"), QKeySequence(tr("Ctrl+B")), "", true},
        [turn, &panels] { turn(panels.side()); }, [this] { return workspace_.isOpen(); });
    actions_.add({"view.problems", viewMenu, tr("Pro&blems"), QKeySequence(tr("Ctrl+Shift+M")), "warning"},
                 [turn, &panels] { turn(panels.problems()); });
}

void ViewActions::addThemes() {
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

void ViewActions::setTheme(ThemeChoice choice) {
    Preferences::setTheme(choice);
    applyTheme(*qApp, choice);
    actions_.refreshIcons();
    emit themeChanged();
}

}  // namespace stagecraft::app::shell
