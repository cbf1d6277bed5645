#include "app/shell/plan_actions.h"

#include "app/plan/plan_page.h"
#include "app/shell/menus.h"

namespace stagecraft {
PlanActions::PlanActions(ActionRegister& actions, Workbench& workbench, QObject* parent)
    : QObject(parent), actions_(actions), workbench_(workbench) {
    const std::tuple<const char*, QString, Qt::Key> colourings[blockColouringCount] = {
        {"plan.colourKind", tr("Colour by &kind"), Qt::Key_K},
        {"plan.colourMiniBatch", tr("Colour by mini-&batch"), Qt::Key_B},
        {"plan.colourVersion", tr("Colour by weight &version"), Qt::Key_V},
        {"plan.colourStaleness", tr("Colour by s&taleness"), Qt::Key_T}};
    for (std::size_t i = 0; i < std::size(colourings); ++i) {
        const auto& [id, text, key] = colourings[i];
        add({id, planMenu, text, QKeySequence(key), "", i == 0},
            [i](const PlanViewActions& own) { return own.colourings[i]; });
    }
    add({"plan.predictions", planMenu, tr("Pre&dictions"), QKeySequence(tr("P"))},
        [](const PlanViewActions& own) { return own.predictions; });
    add({"plan.nextEvent", planMenu, tr("Next eve&nt"), QKeySequence(tr("N")), "step-forward", true},
        [](const PlanViewActions& own) { return own.nextEvent; });
    add({"plan.previousEvent", planMenu, tr("Previou&s event"), QKeySequence(tr("Shift+N")), "step-back"},
        [](const PlanViewActions& own) { return own.previousEvent; });
    add({"plan.play", planMenu, tr("Pla&y events"), QKeySequence(Qt::Key_Space), "run"},
        [](const PlanViewActions& own) { return own.play; });
    for (const ViewCommand& command : PlanView::commands()) {
        const std::string id = "chart." + command.id.toStdString();
        if (inMenu(command.key)) continue;
        QAction* action =
            actions_.add({id.c_str(), "", command.text, command.key}, [this, name = command.id] {
                if (PlanView* shown = view()) shown->run(name);
            });
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        commands_.push_back(action);
    }
    connect(&workbench_, &QTabWidget::currentChanged, this, &PlanActions::update);
    update();
}

void PlanActions::add(const ActionSpec& spec, std::function<QAction*(const PlanViewActions&)> which) {
    QAction* action = actions_.add(spec, [this, which] {
        if (const PlanView* shown = view()) which(shown->viewActions())->trigger();
    });
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    own_.emplace_back(action, std::move(which));
}

/// What is in the menu already, with a key of its own there.
bool PlanActions::inMenu(const QKeySequence& key) const {
    return !key.isEmpty() && std::any_of(own_.begin(), own_.end(),
                                         [&key](const auto& it) { return it.first->shortcut() == key; });
}

void PlanActions::update() {
    PlanPage* page = workbench_.planPage(workbench_.currentPlan());
    if (page) connect(page, &PlanPage::prepared, this, &PlanActions::update, Qt::UniqueConnection);
    PlanView* shown = page && page->isPrepared() ? &page->view() : nullptr;
    for (QAction* action : commands_) {
        action->setEnabled(shown && shown->isReady());
        if (shown) shown->addAction(action);
    }
    for (const auto& [action, which] : own_) {
        const QAction* theirs = shown ? which(shown->viewActions()) : nullptr;
        action->setEnabled(theirs && theirs->isEnabled());
        if (shown) shown->addAction(action);
    }
    if (shown) connect(shown, &PlanView::ready, this, &PlanActions::update, Qt::UniqueConnection);
}

}  // namespace stagecraft
