#include "views/experiments/chart_choice.h"

#include <algorithm>

namespace stagecraft::views::experiments {

namespace {

/// Indices of the axes that are no repetitions.
std::vector<std::size_t> drawnAxes(const Experiment& experiment) {
    std::vector<std::size_t> found;
    for (std::size_t axis = 0; axis < experiment.axes.size(); ++axis)
        if (!experiment.axes[axis].seeds) found.push_back(axis);
    return found;
}

bool growsByFactors(const Axis& axis) {
    if (!axis.numeric() || axis.values.size() < 3) return false;
    double ratio = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < axis.values.size(); ++i) {
        if (!(axis.values[i - 1].number > 0)) return false;
        ratio = std::min(ratio, axis.values[i].number / axis.values[i - 1].number);
    }
    return ratio >= 1.4;
}

template <typename List>
std::optional<std::size_t> indexOf(const List& list, const std::string& name,
                                   std::string List::value_type::*member) {
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.*member == name; });
    if (found == list.end()) return std::nullopt;
    return static_cast<std::size_t>(found - list.begin());
}

std::optional<std::size_t> axisNamed(const Experiment& experiment, const std::string& name) {
    return indexOf(experiment.axes, name, &Axis::name);
}

std::optional<std::size_t> plannerNamed(const Experiment& experiment, const std::string& label) {
    return indexOf(experiment.planners, label, &AskedPlanner::label);
}

/// The axis that says most along a line: the longest of numbers, else the longest; the number of axes if
/// there is none.
std::size_t longestAxis(const Experiment& experiment, std::optional<std::size_t> but = {}) {
    std::size_t best = experiment.axes.size(), longest = 0;
    for (const std::size_t axis : drawnAxes(experiment)) {
        const Axis& one = experiment.axes[axis];
        const std::size_t length = one.values.size() + (one.numeric() ? 10000 : 0);
        if (axis == but || length <= longest) continue;
        longest = length;
        best = axis;
    }
    return best;
}

ChartKind kindFor(const Experiment& experiment) {
    const std::vector<std::size_t> axes = drawnAxes(experiment);
    const auto numeric = [&](std::size_t axis) {
        return experiment.axes[axis].numeric() && experiment.axes[axis].values.size() > 3;
    };
    if (experiment.planners.size() == 1 && std::count_if(axes.begin(), axes.end(), numeric) > 1)
        return ChartKind::heat;
    if (axes.empty()) return ChartKind::bars;
    const Axis& along = experiment.axes[longestAxis(experiment)];
    return along.numeric() && along.values.size() > 1 ? ChartKind::lines : ChartKind::bars;
}

/// Another metric than the chosen one, of those that the experiment is about if it names several.
std::string otherMetric(const Experiment& experiment, const std::string& metric) {
    for (const std::string& one : experiment.metrics)
        if (one != metric) return one;
    return metric == "peak_memory_bytes" ? "iteration_time_s" : "peak_memory_bytes";
}

}  // namespace

bool suits(ChartKind kind, const Experiment& experiment) {
    return kind != ChartKind::heat || drawnAxes(experiment).size() > 1;
}

ChartChoice firstChoice(const Experiment& experiment) {
    if (experiment.chart) return choiceOf(*experiment.chart, experiment);
    ChartChoice choice;
    if (!experiment.metrics.empty()) choice.metric = experiment.metrics.front();
    choice.fixed.assign(experiment.axes.size(), 0);
    choice.axis = longestAxis(experiment);
    choice.logarithmicAcross =
        choice.axis < experiment.axes.size() && growsByFactors(experiment.axes[choice.axis]);
    return ofKind(choice, kindFor(experiment), experiment);
}

ChartChoice ofKind(ChartChoice choice, ChartKind kind, const Experiment& experiment) {
    choice.kind = kind;
    choice.fixed.resize(experiment.axes.size(), 0);
    if (choice.axis >= experiment.axes.size() || experiment.axes[choice.axis].seeds)
        choice.axis = longestAxis(experiment);
    const std::vector<std::size_t> axes = drawnAxes(experiment);
    if (kind == ChartKind::heat &&
        (choice.upright == choice.axis || std::find(axes.begin(), axes.end(), choice.upright) == axes.end()))
        choice.upright = longestAxis(experiment, choice.axis);
    if (choice.planner >= experiment.planners.size()) choice.planner = 0;
    if (choice.metric == choice.acrossMetric && kind == ChartKind::pareto)
        choice.acrossMetric = otherMetric(experiment, choice.metric);
    if (choice.panels == choice.axis && kind != ChartKind::pareto) choice.panels.reset();
    if (choice.panels == choice.upright && kind == ChartKind::heat) choice.panels.reset();
    if (kind == ChartKind::pareto) choice.relativeTo.reset();
    // Over itself a planner is 1 everywhere.
    if (kind == ChartKind::heat && choice.relativeTo == choice.planner && experiment.planners.size() > 1)
        choice.planner = choice.planner == 0 ? 1 : 0;
    for (std::size_t& value : choice.fixed) {
        if (kind == ChartKind::pareto) value = everyValue;
        if (kind != ChartKind::pareto && value == everyValue) value = 0;
    }
    return choice;
}

ExperimentChart chartOf(const ChartChoice& choice, const Experiment& experiment) {
    ExperimentChart chart;
    chart.kind = choice.kind;
    chart.metric = choice.metric;
    const bool heat = choice.kind == ChartKind::heat, pareto = choice.kind == ChartKind::pareto;
    if (pareto) chart.acrossMetric = choice.acrossMetric;
    if (!pareto && choice.axis < experiment.axes.size()) chart.along = experiment.axes[choice.axis].name;
    if (heat) chart.upright = experiment.axes[choice.upright].name;
    if (heat) chart.planner = experiment.planners[choice.planner].label;
    if (choice.relativeTo) chart.relativeTo = experiment.planners[*choice.relativeTo].label;
    if (choice.panels) chart.panels = experiment.axes[*choice.panels].name;
    chart.logarithmicMetric = choice.logarithmicMetric;
    chart.logarithmicAcross = choice.logarithmicAcross;
    for (const std::size_t axis : slicedAxes(choice, experiment)) {
        const std::size_t value = choice.fixed[axis];
        if (value != everyValue && (value > 0 || pareto))
            chart.at[experiment.axes[axis].name] = experiment.axes[axis].values[value].label;
    }
    return chart;
}

ChartChoice choiceOf(const ExperimentChart& chart, const Experiment& experiment) {
    ChartChoice choice;
    if (!experiment.metrics.empty()) choice.metric = experiment.metrics.front();
    if (!chart.metric.empty()) choice.metric = chart.metric;
    if (!chart.acrossMetric.empty()) choice.acrossMetric = chart.acrossMetric;
    choice.axis = axisNamed(experiment, chart.along).value_or(longestAxis(experiment));
    choice.upright = axisNamed(experiment, chart.upright).value_or(longestAxis(experiment, choice.axis));
    choice.planner = plannerNamed(experiment, chart.planner).value_or(0);
    choice.relativeTo = plannerNamed(experiment, chart.relativeTo);
    choice.panels = axisNamed(experiment, chart.panels);
    choice.logarithmicMetric = chart.logarithmicMetric;
    choice.logarithmicAcross = chart.logarithmicAcross;
    choice = ofKind(choice, suits(chart.kind, experiment) ? chart.kind : kindFor(experiment), experiment);
    for (const auto& [name, label] : chart.at) {
        const auto axis = axisNamed(experiment, name);
        const auto value =
            axis ? indexOf(experiment.axes[*axis].values, label, &AxisValue::label) : std::nullopt;
        if (value) choice.fixed[*axis] = *value;
    }
    return choice;
}

std::vector<std::size_t> slicedAxes(const ChartChoice& choice, const Experiment& experiment) {
    std::vector<std::size_t> sliced;
    for (const std::size_t axis : drawnAxes(experiment)) {
        const bool drawn = (choice.kind != ChartKind::pareto && axis == choice.axis) ||
                           (choice.kind == ChartKind::heat && axis == choice.upright) ||
                           choice.panels == axis;
        if (!drawn) sliced.push_back(axis);
    }
    return sliced;
}

}  // namespace stagecraft::views::experiments
