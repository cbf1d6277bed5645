#include "core/experiments/experiment.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::experiments {

bool Axis::numeric() const {
    return std::all_of(values.begin(), values.end(),
                       [](const AxisValue& value) { return std::isfinite(value.number); });
}

bool AxisFilter::takes(const AxisValue& value) const {
    if (!labels.empty()) return std::find(labels.begin(), labels.end(), value.label) != labels.end();
    if (strict) return value.number > atLeast && value.number < atMost;
    return value.number >= atLeast && value.number <= atMost;
}

const AskedPlanner* Experiment::planner(const std::string& label) const {
    const auto found = std::find_if(planners.begin(), planners.end(),
                                    [&](const AskedPlanner& asked) { return asked.label == label; });
    return found == planners.end() ? nullptr : &*found;
}

const Axis* Experiment::axis(const std::string& axisName) const {
    const auto found =
        std::find_if(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.name == axisName; });
    return found == axes.end() ? nullptr : &*found;
}

}  // namespace stagecraft::experiments
