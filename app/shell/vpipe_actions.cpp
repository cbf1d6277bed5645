#include "app/shell/vpipe_actions.h"

#include "app/shell/menus.h"
#include "app/shell/workbench.h"
#include "app/vpipe/vpipe_window.h"

namespace stagecraft::app {

VpipeActions::VpipeActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench,
                           QWidget* parent)
    : QObject(parent), workspace_(workspace), workbench_(workbench), parent_(parent) {
    actions.add(
        {"plan.vpipe", planMenu, tr("&vPipe in detail"), QKeySequence(tr("F7")), "plan"}, [this] { open(); },
        [this] { return plannable_; });
    const auto update = [this] {
        plannable_ = workspace_.isOpen() && !whyUnplannable(workspace_.problem());
        if (window_ && !workspace_.isOpen()) window_->close();
    };
    connect(&workspace, &Workspace::projectReplaced, this, update);
    connect(&workspace, &Workspace::problemChanged, this, update);
    connect(&workbench, &Workbench::planShown, this, [this](int id) {
        if (window_ && id) window_->lookAt(id);
    });
    update();
}

void VpipeActions::open() {
    if (!window_) window_ = new VpipeWindow(workspace_, parent_);
    const PlanItem* shown = workbench_.planInView();
    window_->lookAt(shown ? shown->id : 0);
    window_->show();
    window_->raise();
    window_->activateWindow();
}

}  // namespace stagecraft::app
