#include "app/shell/edit_actions.h"

#include "app/plan/edit_bar.h"
#include "app/plan/plan_editor.h"
#include "app/plan/plan_page.h"
#include "app/shell/menus.h"
#include "views/timeline/order_drag.h"

#include <QMenu>
#include <QToolButton>

namespace stagecraft::app {

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

}  // namespace stagecraft::app
