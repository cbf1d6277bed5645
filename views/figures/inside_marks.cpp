#include "views/figures/inside_marks.h"

#include "core/base/indices.h"

#include <algorithm>

namespace stagecraft::views::figures {

InsideMarks::InsideMarks(const PlanRun& run) {
    const Plan& plan = run.result.plan;
    if (!plan.dividesLayers()) return;
    for (int stage = 0; stage < plan.stageCount(); ++stage)
        for (const BlockKind kind :
             {BlockKind::forward, BlockKind::backward, BlockKind::inputGradient, BlockKind::recompute}) {
            std::vector<InsideStep> steps = insideSteps(*run.costs, plan, stage, kind);
            const bool sends = std::ranges::any_of(
                steps, [](const InsideStep& step) { return step.kind != InsideKind::computing; });
            if (sends) steps_[{stage, kind}] = std::move(steps);
        }
}

std::vector<InsideStep> InsideMarks::of(const Timeline& timeline, std::uint32_t block) const {
    const auto found = steps_.find({timeline.stage[block], timeline.kind[block]});
    return found == steps_.end() ? std::vector<InsideStep>() : stepsOf(found->second, timeline, block);
}

std::vector<double> sentShares(const std::vector<InsideStep>& steps, double from, double to, int columns) {
    std::vector<double> shares(at(columns), 0);
    const double each = (to - from) / columns;
    for (const InsideStep& step : steps) {
        if (step.kind == InsideKind::computing || step.to <= from || step.from >= to) continue;
        const int first = std::max(0, static_cast<int>((step.from - from) / each));
        const int last = std::min(columns - 1, static_cast<int>((step.to - from) / each));
        for (int column = first; column <= last; ++column) {
            const double start = from + column * each;
            shares[at(column)] +=
                std::max(0.0, std::min(step.to, start + each) - std::max(step.from, start)) / each;
        }
    }
    return shares;
}

}  // namespace stagecraft::views::figures
