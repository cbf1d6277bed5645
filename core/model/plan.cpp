#include "core/model/plan.h"

#include <algorithm>
#include <set>
#include <utility>

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

VocabularyPasses vocabularyNamed(const ExplicitSchedule& schedule) {
    bool any = false, together = true, early = false;
    for (const auto& [device, order] : schedule.orders) {
        std::set<std::pair<int, int>> awaited;  // backwards that came before their T, by stage and microbatch
        std::set<std::pair<int, int>> done;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const Task& task = order[i];
            const std::pair pass(task.stage, task.microbatch);
            if (task.kind == TaskKind::headForward) {
                any = true;
                Task next = task;
                next.kind = TaskKind::headBackward;
                together = together && i + 1 < order.size() && order[i + 1] == next;
            }
            if (task.kind == TaskKind::headBackward) {
                early = early || awaited.contains(pass);
                done.insert(pass);
            }
            if (task.kind == TaskKind::backward && !done.contains(pass)) awaited.insert(pass);
        }
    }
    if (!any) return VocabularyPasses::none;
    return early      ? VocabularyPasses::oneBarrier
           : together ? VocabularyPasses::interlaced
                      : VocabularyPasses::twoBarriers;
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

VocabularyPasses Schedule::vocabulary() const {
    if (const auto* spelled = std::get_if<ExplicitSchedule>(&order)) return spelled->vocabulary;
    const auto* policy = std::get_if<FamilySchedule>(&order);
    for (const VocabularyFamily& family : vocabularyFamilies)
        if (policy && policy->name == family.name) return family.passes;
    return VocabularyPasses::none;
}

LayerMemory Plan::layerMemory(int layer) const {
    const auto found = memory.layers.find(layer);
    return found == memory.layers.end() ? LayerMemory::keep : found->second;
}

}  // namespace stagecraft::model
