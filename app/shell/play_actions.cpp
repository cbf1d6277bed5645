#include "app/shell/play_actions.h"

#include "app/play/play_window.h"
#include "app/shell/workbench.h"

#include <algorithm>

namespace stagecraft {

PlayActions::PlayActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench, QWidget* parent)
    : QObject(parent), workspace_(workspace), workbench_(workbench), parent_(parent) {
    stack_ = actions.add({"plan.stack", "&Plan", tr("Plans one a&bove the other"),
                          QKeySequence(tr("Alt+Shift+3")), "compare", true},
                         [this] { workbench_.showStack(); });
    play_ = actions.add(
        {"plan.playWithCluster", "&Plan", tr("Play with the &cluster"), QKeySequence(tr("F9")), "run"},
        [this] {
            PlayWindow& window = lookAtPlan();
            window.show();
            window.raise();
            window.activateWindow();
        });
    present_ = actions.add({"plan.present", "&Plan", tr("Prese&nt"), QKeySequence(tr("F11")), "present"},
                           [this] { lookAtPlan().present(true); });
    connect(&workspace_, &Workspace::projectReplaced, this, &PlayActions::update);
    connect(&workspace_, &Workspace::plansChanged, this, &PlayActions::update);
    connect(&workspace_, &Workspace::runChanged, this, &PlayActions::update);
    connect(&workbench_, &Workbench::planShown, this, &PlayActions::update);
    update();
}

PlayWindow& PlayActions::lookAtPlan() {
    if (!window_) window_ = new PlayWindow(workspace_, parent_);
    const PlanItem* item = workbench_.planInView();
    PlanView* shown = item && workbench_.currentPlan() == item->id ? workbench_.planView(item->id) : nullptr;
    window_->lookAt(item ? item->id : 0, shown ? shown->stepTime() : std::nullopt);
    return *window_;
}

void PlayActions::update() {
    const PlanItem* item = workbench_.planInView();
    const bool playable = workspace_.isOpen() && item && item->run && item->run->ok();
    play_->setEnabled(playable);
    present_->setEnabled(playable);
    const auto works = [](const PlanItem& it) { return it.run && it.run->ok(); };
    stack_->setEnabled(workspace_.isOpen() &&
                       std::count_if(workspace_.plans().begin(), workspace_.plans().end(), works) > 1);
}

}  // namespace stagecraft
