#include "app/shell/play_actions.h"

#include "app/play/play_window.h"
#include "app/shell/menus.h"
#include "app/shell/workbench.h"

#include <algorithm>

namespace stagecraft::app {

PlayActions::PlayActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench, QWidget* parent)
    : QObject(parent), actions_(actions), workspace_(workspace), workbench_(workbench), parent_(parent) {
    const auto canPlay = [this] { return this->canPlay(); };
    actions.add(
        {"plan.stack", planMenu, tr("Plans one a&bove the other"), QKeySequence(tr("Alt+Shift+3")), "compare",
         true},
        [this] { workbench_.showStack(); }, [this] { return canStack(); });
    actions.add(
        {"plan.playWithCluster", planMenu, tr("Play with the &cluster"), QKeySequence(tr("F9")), "run"},
        [this] {
            PlayWindow& window = lookAtPlan();
            window.show();
            window.raise();
            window.activateWindow();
        },
        canPlay);
    actions.add(
        {"plan.present", planMenu, tr("Prese&nt"), QKeySequence(tr("F11")), "present"},
        [this] { lookAtPlan().present(true); }, canPlay);
}

PlayWindow& PlayActions::lookAtPlan() {
    if (!window_) {
        window_ = new PlayWindow(workspace_, parent_);
        actions_.addKeysToTips(*window_);
    }
    const PlanItem* item = workbench_.planInView();
    PlanView* shown = item && workbench_.currentPlan() == item->id ? workbench_.planView(item->id) : nullptr;
    window_->lookAt(item ? std::vector{item->id} : std::vector<int>{},
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

}  // namespace stagecraft::app
