#include "app/shell/play_actions.h"

#include "app/compare/compare_page.h"
#include "app/play/play_window.h"
#include "app/shell/menus.h"
#include "app/shell/workbench.h"
#include "views/play/play_picture.h"

#include <algorithm>
#include <functional>

namespace stagecraft::app {

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

}  // namespace stagecraft::app
