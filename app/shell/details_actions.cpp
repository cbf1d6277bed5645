#include "app/shell/details_actions.h"

#include "app/plan/details_window.h"
#include "app/shell/menus.h"
#include "app/shell/workbench.h"

namespace stagecraft::app {

DetailsActions::DetailsActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench,
                               QWidget* parent)
    : QObject(parent), workspace_(workspace), workbench_(workbench), parent_(parent) {
    actions.add(
        {"plan.details", planMenu, tr("Details of the planning…"), QKeySequence(tr("Shift+F7")), "info"},
        [this] { open(); },
        [this] {
            const PlanItem* shown = workspace_.isOpen() ? workbench_.planInView() : nullptr;
            return shown && shown->isPlan();
        });
    connect(&workspace, &Workspace::projectReplaced, this, [this] {
        if (window_ && !workspace_.isOpen()) window_->close();
    });
    connect(&workbench, &Workbench::planShown, this, [this](int id) {
        if (window_ && id) window_->lookAt(id);
    });
}

void DetailsActions::open() {
    if (!window_) window_ = new DetailsWindow(workspace_, parent_);
    const PlanItem* shown = workbench_.planInView();
    window_->lookAt(shown ? shown->id : 0);
    window_->show();
    window_->raise();
    window_->activateWindow();
}

}  // namespace stagecraft::app
