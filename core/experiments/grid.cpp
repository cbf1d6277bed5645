#include "core/experiments/grid.h"

#include "core/experiments/experiment_json.h"
#include "core/experiments/problem_recipe.h"
#include "core/formats/json_reader.h"
#include "core/planners/planner.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace stagecraft::experiments {

using nlohmann::json;

struct Grid::Document {
    json base;
    std::string name;                           ///< what messages call the experiment
    bool studies = false;                       ///< the base or an axis names one
    std::map<std::string, json> plannerValues;  ///< by label
};

namespace {

constexpr double mostPoints = 1e6;

bool namesStudy(const json& base, const std::vector<Axis>& axes) {
    const auto& fields = studyFields();
    return std::any_of(fields.begin(), fields.end(), [&](const std::string& field) {
        if (base.contains(field)) return true;
        for (const Axis& axis : axes)
            for (const AxisValue& value : axis.values)
                for (const Change& change : value.changes)
                    if (change.pointer.starts_with("/" + field)) return true;
        return false;
    });
}

bool onlyReadsOff(const Axis& axis) {
    return std::all_of(axis.values.begin(), axis.values.end(), [](const AxisValue& value) {
        return std::all_of(value.changes.begin(), value.changes.end(),
                           [](const Change& change) { return readsOff(change.pointer); });
    });
}

/// The planner's label and the parameter of "/planners/LABEL/PARAMETER".
std::pair<std::string, std::string> plannerParameter(const json::json_pointer& pointer) {
    return {pointer.parent_pointer().back(), pointer.back()};
}

}  // namespace

Grid::Grid(Experiment experiment) : experiment_(std::move(experiment)), document_(new Document) {
    document_->name = experiment_.name;
    document_->base = json::parse(experiment_.base);
    double count = 1;
    for (const Axis& axis : experiment_.axes) count *= static_cast<double>(axis.values.size());
    const std::string expected = "at most " + std::to_string(static_cast<int>(mostPoints));
    if (count > mostPoints)
        throw InputError(document_->name, "/axes", "the grid has too many points", expected);
    points_ = static_cast<std::size_t>(count);
    document_->studies = namesStudy(document_->base, experiment_.axes);
    for (const Axis& axis : experiment_.axes) readOff_.push_back(onlyReadsOff(axis));
    for (const AskedPlanner& asked : experiment_.planners) {
        json& values = document_->plannerValues[asked.label] = json::object();
        for (const auto& [name, value] : asked.values)
            std::visit([&, &key = name](const auto& it) { values[key] = it; }, value);
    }
    for (const Axis& axis : experiment_.axes)
        for (const Change& change : axis.values.front().changes) {
            if (pointsIntoBase(change.pointer)) continue;
            const std::string label = plannerParameter(json::json_pointer(change.pointer)).first;
            if (!document_->plannerValues.contains(label))
                throw InputError(document_->name, "/axes", "'" + change.pointer + "' names no planner",
                                 "/planners/LABEL/PARAMETER with the label of one that is asked");
        }
}

Grid::~Grid() = default;
Grid::Grid(Grid&&) noexcept = default;

std::vector<std::size_t> Grid::coordinates(std::size_t point) const {
    std::vector<std::size_t> at(experiment_.axes.size());
    for (std::size_t axis = at.size(); axis-- > 0;) {
        at[axis] = point % experiment_.axes[axis].values.size();
        point /= experiment_.axes[axis].values.size();
    }
    return at;
}

std::size_t Grid::pointAt(const std::vector<std::size_t>& coordinates) const {
    std::size_t point = 0;
    for (std::size_t axis = 0; axis < coordinates.size(); ++axis)
        point = point * experiment_.axes[axis].values.size() + coordinates[axis];
    return point;
}

std::string Grid::describe(std::size_t point) const {
    std::string text;
    const std::vector<std::size_t> at = coordinates(point);
    for (std::size_t axis = 0; axis < at.size(); ++axis)
        text += (text.empty() ? "" : ", ") + experiment_.axes[axis].name + " " +
                experiment_.axes[axis].values[at[axis]].label;
    return text;
}

json Grid::baseAt(std::size_t point) const {
    json base = document_->base;
    const std::vector<std::size_t> at = coordinates(point);
    for (std::size_t axis = 0; axis < at.size(); ++axis)
        for (const Change& change : experiment_.axes[axis].values[at[axis]].changes)
            if (pointsIntoBase(change.pointer)) {
                try {
                    base[json::json_pointer(change.pointer)] = json::parse(change.json);
                } catch (const json::exception&) {
                    throw InputError(document_->name, "/base" + change.pointer,
                                     "nothing there can be changed", "a field of the base");
                }
            }
    return base;
}

Problem Grid::problem(std::size_t point) const {
    return problemOfRecipe(baseAt(point), document_->name, "/base", experiment_.directory);
}

Study Grid::study(std::size_t point) const {
    return document_->studies ? studyOfRecipe(baseAt(point), document_->name, "/base") : Study();
}

std::size_t Grid::runOf(std::size_t cell) const {
    std::vector<std::size_t> at = coordinates(pointOf(cell));
    for (std::size_t axis = 0; axis < at.size(); ++axis)
        if (readOff_[axis]) at[axis] = 0;
    return cellOf(pointAt(at), plannerOf(cell));
}

ParameterValues Grid::parameters(std::size_t cell) const {
    const AskedPlanner& asked = experiment_.planners[plannerOf(cell)];
    json values = document_->plannerValues.at(asked.label);
    const std::vector<std::size_t> at = coordinates(pointOf(cell));
    for (std::size_t axis = 0; axis < at.size(); ++axis)
        for (const Change& change : experiment_.axes[axis].values[at[axis]].changes) {
            if (pointsIntoBase(change.pointer)) continue;
            const auto [label, name] = plannerParameter(json::json_pointer(change.pointer));
            if (label == asked.label) values[name] = json::parse(change.json);
        }
    const std::vector<Parameter>& described = findPlanner(asked.planner)->description().parameters;
    ParameterValues all = defaultValues(described);
    const std::string place = "/planners/" + asked.label;
    for (auto& [name, value] : parametersFromJson(JsonValue(values, document_->name, place), described))
        all[name] = value;
    return all;
}

}  // namespace stagecraft::experiments
