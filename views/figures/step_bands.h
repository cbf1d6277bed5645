#pragma once

#include "views/figures/axis.h"

#include <QPointF>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stagecraft::views::figures {

/// Stacked curves of steps. A step has `fromMm`, where it begins, and `top`, an array of what is stacked,
/// cumulated from the bottom.

inline constexpr int fewPanels = 4;          ///< more panels of curves one below the other are drawn lower
inline constexpr double stepColumnMm = 0.1;  ///< what is narrower than this cannot be told apart in print

/// The visible steps; of those that fall into one tenth of a millimetre the highest stands for all.
template <typename Curve, typename StepOf>
auto visibleSteps(const Curve& curve, const FigureScale& time, StepOf stepOf) {
    std::vector<decltype(stepOf(std::size_t{}, 0.0))> steps;
    for (std::size_t i = curve.stepAt(time.from); i < curve.timeS.size() && curve.timeS[i] < time.to; ++i) {
        const auto step = stepOf(i, time.at(std::max(curve.timeS[i], time.from)));
        if (steps.size() > 1 && step.fromMm - steps.back().fromMm < stepColumnMm) {
            if (step.top.back() > steps.back().top.back()) steps.back().top = step.top;
        } else if (steps.empty() || step.top != steps.back().top) {
            steps.push_back(step);
        }
    }
    return steps;
}

/// The area between two cumulated levels; `kind` is the upper one.
template <typename AnyStep>
std::vector<QPointF> stepBand(const std::vector<AnyStep>& steps, std::size_t kind, double endMm,
                              const FigureScale& values) {
    std::vector<QPointF> upper, lower;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const double to = i + 1 < steps.size() ? steps[i + 1].fromMm : endMm;
        const double top = values.at(steps[i].top[kind]);
        const double bottom = values.at(kind == 0 ? 0 : steps[i].top[kind - 1]);
        if (upper.empty() || upper.back().y() != top)
            upper.insert(upper.end(), {{steps[i].fromMm, top}, {to, top}});
        else
            upper.back().setX(to);
        if (lower.empty() || lower.back().y() != bottom)
            lower.insert(lower.end(), {{steps[i].fromMm, bottom}, {to, bottom}});
        else
            lower.back().setX(to);
    }
    upper.insert(upper.end(), lower.rbegin(), lower.rend());
    return upper;
}

}  // namespace stagecraft::views::figures
