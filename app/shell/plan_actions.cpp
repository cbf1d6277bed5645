#include "app/shell/plan_actions.h"

#include "app/plan/plan_page.h"
#include "app/shell/menus.h"
#include "views/plan/plan_commands.h"

#include <tuple>

namespace stagecraft::app {
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
            return shown && which(shown->viewActions())->isEnabled();
        }));
}

/// What is in the menu already, with a key of its own there.
bool PlanActions::inMenu(const QKeySequence& key) const {
    return !key.isEmpty() &&
           std::any_of(own_.begin(), own_.end(), [&key](const auto& it) { return it->shortcut() == key; });
}

PlanView* PlanActions::shownView() const {
    PlanPage* page = workbench_.planPage(workbench_.currentPlan());
    return page && page->isPrepared() ? &page->view() : nullptr;
}

void PlanActions::attach() {
    PlanPage* page = workbench_.planPage(workbench_.currentPlan());
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

}  // namespace stagecraft::app
