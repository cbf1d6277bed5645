#include "app/pages/plan_figures.h"

#include <algorithm>

namespace stagecraft::app::pages {

std::vector<std::shared_ptr<const PlanRun>> runsOf(const Workspace& workspace) {
    std::vector<std::shared_ptr<const PlanRun>> runs;
    for (const PlanItem& each : workspace.plans())
        if (each.run) runs.push_back(each.run);
    return runs;
}

FigureSource panelsOf(const Workspace& workspace, const std::vector<int>& ids) {
    std::vector<NotedPlan> plans;
    std::vector<PanelChoice> panels;
    const auto add = [&](const PlanItem& item, bool shown) {
        if (!item.okRun()) return;
        const int plan = static_cast<int>(plans.size());
        if (shown) panels.push_back({plan, PanelView::schedule});
        if (ids.size() == 1 && shown) panels.push_back({plan, PanelView::memory});
        plans.push_back({item.run, item.notes});
    };
    for (const int id : ids)
        if (const PlanItem* item = workspace.plan(id)) add(*item, true);
    for (const PlanItem& item : workspace.plans())
        if (std::find(ids.begin(), ids.end(), item.id) == ids.end()) add(item, false);
    return panelsSource(std::move(plans), std::move(panels));
}

}  // namespace stagecraft::app::pages
