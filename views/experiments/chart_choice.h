#pragma once

#include "core/experiments/grid.h"
#include "views/rooms.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::views::experiments {

/// What of an experiment's results a chart shows, and how. Seeds are never chosen: a point spans them.
struct ChartChoice {
    ChartKind kind = ChartKind::lines;
    std::string metric = "iteration_time_s";
    std::string acrossMetric = "peak_memory_bytes";  ///< pareto
    std::size_t axis = 0;                            ///< index; ignored without an axis, and under pareto
    std::size_t upright = 1;                         ///< heat: index of another axis
    std::size_t planner = 0;                         ///< heat: whose results
    std::optional<std::size_t> relativeTo;  ///< the planner by whose result at the same point all are divided
    std::optional<std::size_t> panels;      ///< the axis with a panel for each value
    bool logarithmicMetric = false;
    bool logarithmicAcross = false;
    /// By axis: the value shown, or everyValue (under pareto alone); ignored of axes that are drawn.
    std::vector<std::size_t> fixed;
    bool operator==(const ChartChoice&) const = default;
};
inline constexpr std::size_t everyValue = std::numeric_limits<std::size_t>::max();
/// Panels are read only if they are few.
inline constexpr std::size_t mostPanels = 12;

/// As the experiment says, else what suits its axes: lines along its longest axis of numbers, bars where it
/// has none, a heat map for one planner over two axes of numbers.
ChartChoice firstChoice(const Experiment& experiment);
/// The same choice of another kind, with what it needs filled in.
ChartChoice ofKind(ChartChoice choice, ChartKind kind, const Experiment& experiment);
/// Whether a chart of that kind can be drawn of it.
bool suits(ChartKind kind, const Experiment& experiment);

/// In the words of the experiment's file, and back. What the experiment does not have is passed over.
ExperimentChart chartOf(const ChartChoice& choice, const Experiment& experiment);
ChartChoice choiceOf(const ExperimentChart& chart, const Experiment& experiment);

/// Axes that are neither drawn nor repetitions, of which one value is shown.
std::vector<std::size_t> slicedAxes(const ChartChoice& choice, const Experiment& experiment);

}  // namespace stagecraft::views::experiments
