#include "core/model/plan.h"

#include <algorithm>

namespace stagecraft::model {

int Plan::pipelineCount() const {
    int last = -1;
    for (const Stage& stage : stages) last = std::max(last, stage.pipeline);
    return last + 1;
}

int Plan::mirroredStage(int stage) const {
    std::vector<int> own;
    for (int each = 0; each < stageCount(); ++each)
        if (stages[static_cast<std::size_t>(each)].pipeline ==
            stages[static_cast<std::size_t>(stage)].pipeline)
            own.push_back(each);
    return *(own.rbegin() + (std::find(own.begin(), own.end(), stage) - own.begin()));
}

int slicesNamed(const std::vector<Task>& tasks) {
    int slices = 1;
    for (const Task& task : tasks) slices = std::max(slices, task.slice + 1);
    return slices;
}

bool Schedule::splits() const {
    const auto* spelled = std::get_if<ExplicitSchedule>(&order);
    if (!spelled) return splitBackward && std::holds_alternative<FamilySchedule>(order);
    return std::any_of(spelled->orders.begin(), spelled->orders.end(), [](const auto& entry) {
        return std::any_of(entry.second.begin(), entry.second.end(), [](const Task& task) {
            return task.kind == TaskKind::inputGradient || task.kind == TaskKind::weightGradient;
        });
    });
}

PairTimes Schedule::pairTimes() const {
    if (const auto* spelled = std::get_if<ExplicitSchedule>(&order)) return spelled->pairTimes;
    PairTimes times;
    const auto* policy = std::get_if<FamilySchedule>(&order);
    if (!policy) return times;
    const auto take = [&](const char* name, double& value) {
        if (const auto found = policy->parameters.find(name); found != policy->parameters.end())
            value = found->second;
    };
    take(overlapParameter, times.share);
    take(hiddenParameter, times.hidden);
    return times;
}

int Schedule::slices() const {
    if (const auto* spelled = std::get_if<ExplicitSchedule>(&order)) return spelled->slices;
    const auto* policy = std::get_if<FamilySchedule>(&order);
    if (!policy) return 1;
    const auto found = policy->parameters.find(slicesParameter);
    const bool cuts = found != policy->parameters.end() && found->second >= 1;  // false for NaN
    return cuts ? static_cast<int>(std::min<double>(found->second, mostSlices)) : 1;
}

LayerMemory Plan::layerMemory(int layer) const {
    const auto found = memory.layers.find(layer);
    return found == memory.layers.end() ? LayerMemory::keep : found->second;
}

}  // namespace stagecraft::model
