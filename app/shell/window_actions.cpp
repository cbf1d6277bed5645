#include "app/shell/window_actions.h"

#include "app/actions/action_register.h"
#include "app/compare/compare_page.h"
#include "app/plan/details_window.h"
#include "app/plan/edit_bar.h"
#include "app/plan/plan_editor.h"
#include "app/plan/plan_page.h"
#include "app/play/play_window.h"
#include "app/puzzles/puzzle_library.h"
#include "app/puzzles/puzzle_window.h"
#include "app/recording/recording_page.h"
#include "app/shell/file_controller.h"
#include "app/shell/window_parts.h"
#include "app/shell/workbench.h"
#include "app/training/training_page.h"
#include "app/vpipe/vpipe_window.h"
#include "core/puzzles/puzzle_board.h"
#include "core/puzzles/real_plan.h"
#include "views/plan/plan_commands.h"
#include "views/play/play_picture.h"
#include "views/timeline/order_drag.h"

#include <QMenu>
#include <QToolButton>

#include <algorithm>
#include <functional>
#include <memory>
#include <tuple>

namespace stagecraft::app::shell {
namespace {

/// A window of its own about the plan in view, made when it is first asked for.
template <class Window>
class PlanWindow : public QObject {
public:
    PlanWindow(Workspace& workspace, Workbench& workbench, QWidget* parent)
        : QObject(parent), workspace_(workspace), workbench_(workbench), parent_(parent) {
        connect(&workspace, &Workspace::projectReplaced, this, [this] {
            if (window_ && !workspace_.isOpen()) window_->close();
        });
        connect(&workbench, &Workbench::planShown, this, [this](int id) {
            if (window_ && id) window_->lookAt(id);
        });
    }

    void open() {
        if (!window_) window_ = new Window(workspace_, parent_);
        const PlanItem* shown = workbench_.planInView();
        window_->lookAt(shown ? shown->id : 0);
        window_->show();
        window_->raise();
        window_->activateWindow();
    }

private:
    Workspace& workspace_;
    Workbench& workbench_;
    QWidget* parent_;
    Window* window_ = nullptr;
};

/// Ways of editing the plan that is shown, as actions: for the menu, palette, help and keys.
class EditActions : public QObject {
public:
    EditActions(ActionRegister& actions, Workbench& workbench, QObject* parent);

private:
    PlanEditor* editor() const;
    /// Of the plan that is shown, once its views are ready; else nullptr.
    PlanPage* preparedPage() const;
    /// The charts that are shown now take the keys.
    void attach();
    void addToMenu(QMenu* menu, quint32 block);

    ActionRegister& actions_;
    Workbench& workbench_;
    std::vector<QAction*> keyed_;  ///< whose keys the charts alone take
};

EditActions::EditActions(ActionRegister& actions, Workbench& workbench, QObject* parent)
    : QObject(parent), actions_(actions), workbench_(workbench) {
    const auto add = [&](const ActionSpec& spec, auto act) {
        return actions.add(
            spec,
            [this, act] {
                if (PlanEditor* shown = editor()) act(*shown);
            },
            [this] { return preparedPage() != nullptr; });
    };
    add({"plan.partition", planMenu, tr("&Partition"), {}, "", false, editSubmenu},
        [](PlanEditor& shown) { shown.bar().fold(); });
    add({"plan.schedule", planMenu, tr("&Schedule…"), {}, "", false, editSubmenu},
        [](PlanEditor& shown) { shown.bar().scheduleButton().click(); });
    add({"plan.whatIf", planMenu, tr("&What if…"), {}, "", false, editSubmenu},
        [](PlanEditor& shown) { shown.bar().whatIfButton().click(); });
    add({"plan.editOrder", planMenu, tr("Edit &order"), {}, "", false, editSubmenu},
        [](PlanEditor& shown) { shown.bar().orderButton().click(); });
    keyed_ = {add({"plan.blockEarlier", planMenu, tr("Move block &earlier"), QKeySequence(tr("Ctrl+Left")),
                   "", true, editSubmenu},
                  [](PlanEditor& shown) { shown.moveSelectedBlock(-1); }),
              add({"plan.blockLater", planMenu, tr("Move block &later"), QKeySequence(tr("Ctrl+Right")), "",
                   false, editSubmenu},
                  [](PlanEditor& shown) { shown.moveSelectedBlock(1); })};
    for (QAction* action : keyed_) action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(&workbench_, &QTabWidget::currentChanged, this, &EditActions::attach);
    attach();
}

PlanEditor* EditActions::editor() const {
    PlanPage* page = workbench_.planPage(workbench_.currentPlan());
    return page ? page->editor() : nullptr;
}

PlanPage* EditActions::preparedPage() const {
    PlanPage* page = workbench_.planPage(workbench_.currentPlan());
    return page && page->isPrepared() ? page : nullptr;
}

void EditActions::attach() {
    PlanPage* page = workbench_.planPage(workbench_.currentPlan());
    if (page) connect(page, &PlanPage::prepared, this, &EditActions::attach, Qt::UniqueConnection);
    if (PlanPage* prepared = preparedPage()) {
        for (QAction* action : keyed_) prepared->view().addAction(action);
        connect(&prepared->view(), &PlanView::blockMenuOpening, this, &EditActions::addToMenu,
                Qt::UniqueConnection);
    }
    actions_.refresh();
}

void EditActions::addToMenu(QMenu* menu, quint32 block) {
    const PlanPage* page = preparedPage();
    const auto run = page ? page->run() : nullptr;
    if (!run || !run->ok() || block == noBlock || !OrderDrag::isOrdered(run->evaluation->timeline, block))
        return;
    menu->addSeparator();
    for (QAction* action : keyed_) menu->addAction(action);
    menu->addAction(actions_.action(QStringLiteral("plan.editOrder")));
}

/// How a plan's chart is looked at, as actions: for menus, palette, help and keys. The keys are those of the
/// plans' views alone.
class PlanActions : public QObject {
public:
    PlanActions(ActionRegister& actions, Workbench& workbench, QObject* parent);

private:
    /// @param which of the view's own actions does it
    void add(const ActionSpec& spec, std::function<QAction*(const PlanViewActions&)> which);
    /// Of the plan or the recording that is shown.
    PlanView* view() const {
        return showsRecording() ? workbench_.recording()->view()
                                : workbench_.planView(workbench_.currentPlan());
    }
    bool showsRecording() const { return workbench_.currentPage() == workbench_.recording(); }
    /// The same once it is prepared; else nullptr.
    PlanView* shownView() const;
    bool inMenu(const QKeySequence& key) const;
    /// The plan that is shown now takes the keys.
    void attach();

    ActionRegister& actions_;
    Workbench& workbench_;
    std::vector<QAction*> own_;
};

PlanActions::PlanActions(ActionRegister& actions, Workbench& workbench, QObject* parent)
    : QObject(parent), actions_(actions), workbench_(workbench) {
    const auto keyOf = [](const char* command) { return PlanCommands::keyOf(QLatin1String(command)); };
    const std::tuple<const char*, QString, const char*> colourings[blockColouringCount] = {
        {"plan.colourKind", tr("Colour by &kind"), "colourKind"},
        {"plan.colourMiniBatch", tr("Colour by mini-&batch"), "colourMiniBatch"},
        {"plan.colourVersion", tr("Colour by weight &version"), "colourVersion"},
        {"plan.colourStaleness", tr("Colour by s&taleness"), "colourStaleness"},
        {"plan.colourMicrobatch", tr("Colour by &microbatch"), "colourMicrobatch"},
        {"plan.colourChunk", tr("Colour by &chunk"), "colourChunk"},
        {"plan.colourCopy", tr("Colour by c&opy"), "colourCopy"},
        {"plan.colourStage", tr("Colour by stag&e"), "colourStage"}};
    for (std::size_t i = 0; i < std::size(colourings); ++i) {
        const auto& [id, text, key] = colourings[i];
        add({id, planMenu, text, keyOf(key), "", i == 0, "Co&lour by"},
            [i](const PlanViewActions& own) { return own.colourings[i]; });
    }
    add({"plan.predictions", planMenu, tr("Pred&ictions"), keyOf("predictions")},
        [](const PlanViewActions& own) { return own.predictions; });
    add({"plan.nextEvent", planMenu, tr("&Next event"), keyOf("nextEvent"), "step-forward", true,
         playSubmenu},
        [](const PlanViewActions& own) { return own.nextEvent; });
    add({"plan.previousEvent", planMenu, tr("&Previous event"), keyOf("previousEvent"), "step-back", false,
         playSubmenu},
        [](const PlanViewActions& own) { return own.previousEvent; });
    add({"plan.play", planMenu, tr("Play &events"), keyOf("play"), "run", false, playSubmenu},
        [](const PlanViewActions& own) { return own.play; });
    for (const ViewCommand& command : PlanCommands::all()) {
        const std::string id = "chart." + command.id.toStdString();
        if (inMenu(command.key)) continue;
        own_.push_back(actions_.add(
            {id.c_str(), "", command.text, command.key},
            [this, name = command.id] {
                if (PlanView* shown = view()) shown->run(name);
            },
            [this] { return shownView() && shownView()->isReady(); }));
    }
    for (QAction* action : own_) action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(&workbench_, &QTabWidget::currentChanged, this, &PlanActions::attach);
    attach();
}

void PlanActions::add(const ActionSpec& spec, std::function<QAction*(const PlanViewActions&)> which) {
    own_.push_back(actions_.add(
        spec,
        [this, which] {
            if (const PlanView* shown = view()) which(shown->viewActions())->trigger();
        },
        [this, which] {
            const PlanView* shown = shownView();
            const QAction* own = shown ? which(shown->viewActions()) : nullptr;
            return own && own->isEnabled() && own->isVisible();
        }));
}

/// What is in the menu already, with a key of its own there.
bool PlanActions::inMenu(const QKeySequence& key) const {
    return !key.isEmpty() &&
           std::any_of(own_.begin(), own_.end(), [&key](const auto& it) { return it->shortcut() == key; });
}

PlanView* PlanActions::shownView() const {
    if (showsRecording()) return view();
    PlanPage* page = workbench_.planPage(workbench_.currentPlan());
    return page && page->isPrepared() ? &page->view() : nullptr;
}

void PlanActions::attach() {
    PlanPage* page = workbench_.planPage(workbench_.currentPlan());
    if (showsRecording())
        connect(workbench_.recording(), &Page::stateChanged, this, &PlanActions::attach,
                Qt::UniqueConnection);
    if (page) {
        connect(page, &PlanPage::prepared, this, &PlanActions::attach, Qt::UniqueConnection);
        connect(page, &PlanPage::partsMade, this, &PlanActions::attach, Qt::UniqueConnection);
        actions_.addKeysToTips(*page);
    }
    if (PlanView* shown = shownView()) {
        for (QAction* action : own_) shown->addAction(action);
        connect(shown, &PlanView::ready, &actions_, &ActionRegister::refresh, Qt::UniqueConnection);
    }
    actions_.refresh();
}

/// Plans one above the other, and the window in which plans are played.
class PlayActions : public QObject {
public:
    PlayActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench, QWidget* parent);

private:
    PlayWindow& window();
    PlayWindow& lookAtPlan();
    void playTogether();
    bool canPlay() const;
    bool canStack() const;

    ActionRegister& actions_;
    Workspace& workspace_;
    Workbench& workbench_;
    QWidget* parent_;
    PlayWindow* window_ = nullptr;  ///< made when it is first asked for
};

PlayActions::PlayActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench, QWidget* parent)
    : QObject(parent), actions_(actions), workspace_(workspace), workbench_(workbench), parent_(parent) {
    const auto canPlay = [this] { return this->canPlay(); };
    actions.add(
        {"plan.stack", planMenu, tr("Plans one a&bove the other"), QKeySequence(tr("Alt+Shift+3")), "compare",
         true},
        [this] { workbench_.showStack(); }, [this] { return canStack(); });
    actions.add(
        {"plan.playWithCluster", planMenu, tr("Play with the &cluster"), QKeySequence(tr("F9")), "run", true,
         playSubmenu},
        [this] { lookAtPlan().bringToFront(); }, canPlay);
    actions.add(
        {"plan.playTogether", planMenu, tr("Play plans to&gether"), QKeySequence(tr("Shift+F9")), "run",
         false, playSubmenu},
        [this] { playTogether(); }, [this] { return canStack(); });
    actions.add(
        {"plan.present", planMenu, tr("P&resent"), QKeySequence(tr("F11")), "present", false, playSubmenu},
        [this] { lookAtPlan().present(true); }, canPlay);
    connect(workbench.compare(), &ComparePage::playTogetherRequested, this, [this] {
        if (canStack()) playTogether();
    });
}

PlayWindow& PlayActions::window() {
    if (!window_) {
        window_ = new PlayWindow(workspace_, parent_);
        actions_.addKeysToTips(*window_);
    }
    return *window_;
}

/// Of those that are selected in the comparison, else the first.
void PlayActions::playTogether() {
    const auto works = [this](int id) {
        const PlanItem* item = workspace_.plan(id);
        return item && item->run && item->run->ok();
    };
    std::vector<int> ids = workbench_.compare()->selectedPlans();
    std::erase_if(ids, std::not_fn(works));
    if (ids.size() < 2) {
        ids.clear();
        for (const PlanItem& item : workspace_.plans())
            if (works(item.id)) ids.push_back(item.id);
    }
    ids.resize(std::min(ids.size(), static_cast<std::size_t>(mostPlayedPlans)));
    window().lookAt(std::move(ids));
    window().bringToFront();
}

PlayWindow& PlayActions::lookAtPlan() {
    const PlanItem* item = workbench_.planInView();
    PlanView* shown = item && workbench_.currentPlan() == item->id ? workbench_.planView(item->id) : nullptr;
    window().lookAt(item ? std::vector{item->id} : std::vector<int>{},
                    shown ? shown->stepTime() : std::nullopt);
    return *window_;
}

bool PlayActions::canPlay() const {
    const PlanItem* item = workbench_.planInView();
    return workspace_.isOpen() && item && item->run && item->run->ok();
}

bool PlayActions::canStack() const {
    const auto works = [](const PlanItem& it) { return it.run && it.run->ok(); };
    return workspace_.isOpen() &&
           std::count_if(workspace_.plans().begin(), workspace_.plans().end(), works) > 1;
}

/// Puzzles in the menu Lesson, and how an order of one becomes a plan of the main window.
class PuzzleActions : public QObject {
public:
    PuzzleActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench, FileController& files,
                  QWidget* parent);

    PuzzleWindow& open();

private:
    void openReal(const PuzzleBoard& board, const QString& title);
    bool suitsOpenProject(const Puzzle& puzzle) const;

    Workspace& workspace_;
    Workbench& workbench_;
    FileController& files_;
    QWidget* parent_;
    PuzzleWindow* window_ = nullptr;
};

PuzzleActions::PuzzleActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench,
                             FileController& files, QWidget* parent)
    : QObject(parent), workspace_(workspace), workbench_(workbench), files_(files), parent_(parent) {
    actions.add({"lesson.puzzles", lessonMenu, tr("&Puzzles"), {}, "lanes"}, [this] { open(); });
}

PuzzleWindow& PuzzleActions::open() {
    if (!window_) {
        window_ = new PuzzleWindow(parent_);
        connect(window_, &PuzzleWindow::realRequested, this, &PuzzleActions::openReal);
    }
    window_->show();
    window_->raise();
    window_->activateWindow();
    return *window_;
}

/// One that has as many GPUs and microbatches, and layers enough.
bool PuzzleActions::suitsOpenProject(const Puzzle& puzzle) const {
    if (!workspace_.isOpen() || whyUnplannable(workspace_.problem())) return false;
    const Problem& problem = workspace_.problem();
    return problem.cluster.deviceCount() == puzzle.devices &&
           problem.setup.microbatches == puzzle.microbatches && whyNotReal(puzzle, problem).empty();
}

void PuzzleActions::openReal(const PuzzleBoard& board, const QString& title) {
    const std::string name = title.toStdString();
    const Project sample = realSample(board.puzzle().devices);
    const bool here = suitsOpenProject(board.puzzle());
    if (const std::string why = whyNotReal(board.puzzle(), sample.problem); !here && !why.empty())
        return window_->say(QString::fromStdString(why), true);
    if (here) {
        workbench_.showPlan(workspace_.addPlan(realPlan(board, CostModel(workspace_.problem()), name)));
    } else {
        if (!files_.openInstead(realProject(board, sample, name), {})) return;
        workbench_.showPlan(workspace_.plans().front().id);
    }
    parent_->raise();
    parent_->activateWindow();
}

}  // namespace

void addTrainingActions(ActionRegister& actions, Workbench& workbench, QObject* parent) {
    TrainingPage& page = *workbench.training();
    const auto running = [&page] { return page.job().state() != TrainingJob::State::idle; };
    actions.add(
        {"training.start", planMenu, QObject::tr("&Start training"), QKeySequence(QObject::tr("F6")),
         "training", false, trainingSubmenu},
        [&workbench, &page] {
            workbench.showTraining();
            page.start();
        },
        [&page] { return page.canStart(); });
    QAction* pause = actions.add(
        {"training.pause", planMenu, QObject::tr("&Pause training"), QKeySequence(QObject::tr("Ctrl+F6")), "",
         false, trainingSubmenu},
        [&page] { page.pauseOrResume(); }, running);
    actions.add(
        {"training.stop", planMenu, QObject::tr("S&top training"), QKeySequence(QObject::tr("Shift+F6")), "",
         false, trainingSubmenu},
        [&page] { page.stop(); }, running);
    const auto showState = [&actions, &page, pause] {
        const bool paused = page.job().state() == TrainingJob::State::paused;
        pause->setText(paused ? QObject::tr("Re&sume training") : QObject::tr("&Pause training"));
        actions.refresh();
    };
    QObject::connect(&page, &TrainingPage::stateChanged, parent, showState);
    showState();
}

void addDetailsAction(ActionRegister& actions, Workspace& workspace, Workbench& workbench, QWidget* parent) {
    auto* window = new PlanWindow<DetailsWindow>(workspace, workbench, parent);
    actions.add(
        {"plan.details", planMenu, QObject::tr("Details of the planning…"),
         QKeySequence(QObject::tr("Shift+F7")), "info"},
        [window] { window->open(); },
        [&workspace, &workbench] {
            const PlanItem* shown = workspace.isOpen() ? workbench.planInView() : nullptr;
            return shown && shown->isPlan();
        });
}

void addVpipeAction(ActionRegister& actions, Workspace& workspace, Workbench& workbench, QWidget* parent) {
    auto* window = new PlanWindow<VpipeWindow>(workspace, workbench, parent);
    // Of the problem as it is now; asked once a change, for it takes a while.
    const auto plannable = std::make_shared<bool>(false);
    actions.add(
        {"plan.vpipe", planMenu, QObject::tr("&vPipe in detail"), QKeySequence(QObject::tr("F7")), "plan"},
        [window] { window->open(); }, [plannable] { return *plannable; });
    const auto update = [&workspace, plannable] {
        *plannable = workspace.isOpen() && !whyUnplannable(workspace.problem());
    };
    QObject::connect(&workspace, &Workspace::projectReplaced, window, update);
    QObject::connect(&workspace, &Workspace::problemChanged, window, update);
    update();
}

void addEditActions(ActionRegister& actions, Workbench& workbench, QObject* parent) {
    new EditActions(actions, workbench, parent);
}

void addPlanActions(ActionRegister& actions, Workbench& workbench, QObject* parent) {
    new PlanActions(actions, workbench, parent);
}

void addPlayActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench, QWidget* parent) {
    new PlayActions(actions, workspace, workbench, parent);
}

void addPuzzleActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench,
                      FileController& files, QWidget* parent) {
    new PuzzleActions(actions, workspace, workbench, files, parent);
}

}  // namespace stagecraft::app::shell
