#include "core/experiments/named_parts.h"

namespace stagecraft::experiments {

namespace {

[[noreturn]] void failValue(const JsonValue& place, const std::string& asked, const Axis& axis) {
    std::vector<std::string> labels;
    for (const AxisValue& one : axis.values) labels.push_back(one.label);
    place.fail("axis '" + axis.name + "' has no value " + asked + spellingHint(asked, labels),
               "one of its values");
}

}  // namespace

std::string plannerLabel(const JsonValue& place, const Experiment& experiment) {
    if (experiment.planner(place.text())) return place.text();
    std::vector<std::string> labels;
    for (const AskedPlanner& planner : experiment.planners) labels.push_back(planner.label);
    place.fail("no planner here is called '" + place.text() + "'" + spellingHint(place.text(), labels),
               "the label of a planner of this experiment");
}

const Axis& namedAxis(const JsonValue& place, const std::string& name, const Experiment& experiment) {
    if (const Axis* axis = experiment.axis(name)) return *axis;
    std::vector<std::string> names;
    for (const Axis& axis : experiment.axes) names.push_back(axis.name);
    place.fail("no axis '" + name + "'" + spellingHint(name, names), "an axis of this experiment");
}

std::string valueLabel(const JsonValue& place, const Axis& axis) {
    if (!place.isNumber()) return valueLabel(place, place.text(), axis);
    for (const AxisValue& one : axis.values)
        if (one.number == place.number()) return one.label;
    failValue(place, place.raw().dump(), axis);
}

std::string valueLabel(const JsonValue& place, const std::string& label, const Axis& axis) {
    for (const AxisValue& one : axis.values)
        if (one.label == label) return label;
    failValue(place, label, axis);
}

}  // namespace stagecraft::experiments
