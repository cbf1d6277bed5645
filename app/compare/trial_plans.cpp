#include "app/compare/trial_plans.h"
#include "core/planners/planned_run.h"

#include <algorithm>

namespace stagecraft::app::compare {

TrialPlans::TrialPlans(Workspace& workspace, QObject* parent) : QObject(parent), workspace_(workspace) {
    connect(&workspace_, &Workspace::projectReplaced, this, &TrialPlans::discard);
    connect(&workspace_, &Workspace::problemChanged, this, [this](unsigned parts) {
        if (parts != drawingPart) discard();
    });
    connect(&job_, &Job::ended, this, &TrialPlans::changed);
}

void TrialPlans::simulate(std::shared_ptr<const CostModel> costs, std::vector<Plan> plans) {
    discard();
    job_.start([this, costs = std::move(costs), plans = std::move(plans)](const JobContext& context) {
        for (const Plan& plan : plans) {
            auto run = std::make_shared<const PlanRun>(evaluatePlan(costs, plan, context));
            context.handOver([this, run] {
                items_.push_back({nextId_--, run});
                emit changed();
            });
        }
    });
}

void TrialPlans::discard() {
    job_.abandon();
    if (items_.empty()) return;
    items_.clear();
    emit changed();
}

std::vector<int> TrialPlans::keep(const std::vector<int>& ids) {
    std::vector<std::shared_ptr<const PlanRun>> kept;
    std::erase_if(items_, [&](const Item& item) {
        const bool wanted = std::find(ids.begin(), ids.end(), item.id) != ids.end();
        if (wanted) kept.push_back(item.run);
        return wanted;
    });
    if (kept.empty()) return {};
    std::vector<int> made;
    workspace_.undoStack()->beginMacro(kept.size() == 1
                                           ? tr("Keep %1").arg(QString::fromStdString(kept.front()->title()))
                                           : tr("Keep %1 plans").arg(kept.size()));
    for (const auto& run : kept) {
        made.push_back(workspace_.addPlan(run->result.plan));
        workspace_.setRun(made.back(), run);
    }
    workspace_.undoStack()->endMacro();
    emit changed();
    return made;
}

}  // namespace stagecraft::app::compare
