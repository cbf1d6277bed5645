#pragma once

#include "core/base/rooms.h"

#include <map>
#include <string>

namespace stagecraft::experiments {

enum class ChartKind {
    lines,   ///< a metric along an axis
    bars,    ///< the same, for values that are no numbers
    heat,    ///< a metric over two axes, as colours
    pareto,  ///< a metric against another, and the points that none outdoes in both
};

/// How an experiment's results are drawn, in its own words; what is empty is chosen from the axes.
struct ExperimentChart {
    ChartKind kind = ChartKind::lines;
    std::string metric;        ///< upright; of a heat map the colour
    std::string acrossMetric;  ///< pareto: what is on the level axis
    std::string along;         ///< the axis that is level
    std::string upright;       ///< heat: the axis that is upright
    std::string planner;       ///< heat: whose results
    std::string relativeTo;    ///< a planner by whose result at the same point all are divided
    std::string panels;        ///< the axis with a panel for each value
    bool logarithmicMetric = false;
    bool logarithmicAcross = false;
    /// By axis: the value, by label, at which the results are shown. The first where an axis is not named;
    /// under pareto all of them.
    std::map<std::string, std::string> at;
    bool operator==(const ExperimentChart&) const = default;
};

}  // namespace stagecraft::experiments
