#include "views/profile/stage_ribbon.h"

#include "views/common/text.h"

#include <QStringList>

#include <algorithm>
#include <map>
#include <set>

namespace stagecraft::views::profile {

QString StageSpan::label() const {
    constexpr std::size_t most = 3;
    QStringList numbers;
    for (std::size_t i = 0; i < std::min(most, stages.size()); ++i) numbers << stageMark(stages[i]);
    return numbers.join(", ") + (stages.size() > most ? QString::fromUtf8(" …") : QString());
}

std::vector<StageRibbon> stageRibbons(const Plan& plan) {
    std::map<int, StageRibbon> pipelines;
    for (int i = 0; i < plan.stageCount(); ++i) {
        const Stage& stage = plan.stages[static_cast<std::size_t>(i)];
        pipelines[stage.pipeline].push_back({stage.firstLayer, stage.lastLayer, {i}});
    }
    const auto sameCut = [](const StageRibbon& a, const StageRibbon& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const StageSpan& x, const StageSpan& y) {
            return x.firstLayer == y.firstLayer && x.lastLayer == y.lastLayer;
        });
    };
    std::vector<StageRibbon> result;
    for (auto& [pipeline, ribbon] : pipelines) {
        std::sort(ribbon.begin(), ribbon.end(),
                  [](const StageSpan& a, const StageSpan& b) { return a.firstLayer < b.firstLayer; });
        const auto same = std::find_if(result.begin(), result.end(),
                                       [&](const StageRibbon& other) { return sameCut(other, ribbon); });
        if (same == result.end()) {
            result.push_back(std::move(ribbon));
            continue;
        }
        for (std::size_t i = 0; i < ribbon.size(); ++i) (*same)[i].stages.push_back(ribbon[i].stages.front());
    }
    return result;
}

std::vector<int> stageBoundaries(const Plan& plan) {
    std::set<int> starts;
    for (const Stage& stage : plan.stages)
        if (stage.firstLayer > 0) starts.insert(stage.firstLayer);
    return {starts.begin(), starts.end()};
}

std::vector<int> stagesOfLayer(const Plan& plan, int layer) {
    std::vector<int> stages;
    for (int i = 0; i < plan.stageCount(); ++i) {
        const Stage& stage = plan.stages[static_cast<std::size_t>(i)];
        if (stage.firstLayer <= layer && layer <= stage.lastLayer) stages.push_back(i);
    }
    return stages;
}

}  // namespace stagecraft::views::profile
