#include "app/shell/edit_actions.h"

#include "app/plan/edit_bar.h"
#include "app/plan/plan_editor.h"
#include "app/plan/plan_page.h"
#include "app/shell/menus.h"

#include <QToolButton>

namespace stagecraft {

namespace {}

EditActions::EditActions(ActionRegister& actions, Workbench& workbench, QObject* parent)
    : QObject(parent), workbench_(workbench) {
    const auto add = [&](const ActionSpec& spec, auto act) {
        own_.push_back(actions.add(spec, [this, act] {
            if (PlanEditor* shown = editor()) act(*shown);
        }));
    };
    add({"plan.partition", planMenu, tr("Pa&rtition"), {}, "", true},
        [](PlanEditor& shown) { shown.bar().fold(); });
    add({"plan.whatIf", planMenu, tr("What &if…")},
        [](PlanEditor& shown) { shown.bar().whatIfButton().click(); });
    add({"plan.editOrder", planMenu, tr("Edit &order")},
        [](PlanEditor& shown) { shown.bar().orderButton().click(); });
    add({"plan.blockEarlier", planMenu, tr("Move block &earlier"), QKeySequence(tr("Ctrl+Left"))},
        [](PlanEditor& shown) { shown.moveSelectedBlock(-1); });
    add({"plan.blockLater", planMenu, tr("Move block &later"), QKeySequence(tr("Ctrl+Right"))},
        [](PlanEditor& shown) { shown.moveSelectedBlock(1); });
    keyed_ = {own_[3], own_[4]};
    for (QAction* action : keyed_) action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(&workbench_, &QTabWidget::currentChanged, this, &EditActions::update);
    update();
}

PlanEditor* EditActions::editor() const {
    PlanPage* page = workbench_.planPage(workbench_.currentPlan());
    return page ? page->editor() : nullptr;
}

void EditActions::update() {
    PlanPage* page = workbench_.planPage(workbench_.currentPlan());
    if (page) connect(page, &PlanPage::prepared, this, &EditActions::update, Qt::UniqueConnection);
    const bool prepared = page && page->isPrepared();
    for (QAction* action : own_) action->setEnabled(prepared);
    if (prepared)
        for (QAction* action : keyed_) page->view().addAction(action);
}

}  // namespace stagecraft
