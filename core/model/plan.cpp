#include "core/model/plan.h"

#include <algorithm>

namespace stagecraft::model {

int Plan::pipelineCount() const {
    int last = -1;
    for (const Stage& stage : stages) last = std::max(last, stage.pipeline);
    return last + 1;
}

bool Schedule::splits() const {
    const auto* spelled = std::get_if<ExplicitSchedule>(&order);
    if (!spelled) return splitBackward && std::holds_alternative<PolicySchedule>(order);
    return std::any_of(spelled->orders.begin(), spelled->orders.end(), [](const auto& entry) {
        return std::any_of(entry.second.begin(), entry.second.end(), [](const Task& task) {
            return task.kind == TaskKind::inputGradient || task.kind == TaskKind::weightGradient;
        });
    });
}

PairTimes Schedule::pairTimes() const {
    if (const auto* spelled = std::get_if<ExplicitSchedule>(&order)) return spelled->pairTimes;
    PairTimes times;
    if (const auto* policy = std::get_if<PolicySchedule>(&order))
        if (const auto found = policy->parameters.find(overlapParameter); found != policy->parameters.end())
            times.share = found->second;
    return times;
}

LayerMemory Plan::layerMemory(int layer) const {
    const auto found = memory.layers.find(layer);
    return found == memory.layers.end() ? LayerMemory::keep : found->second;
}

}  // namespace stagecraft::model
