#include "core/experiments/axis_json.h"

#include "core/base/counted.h"
#include "core/formats/json_writer.h"
#include "core/model/setup_fields.h"

#include <cmath>
#include <filesystem>
#include <set>

namespace stagecraft::experiments {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr char plannersPrefix[] = "/planners/";

/// Fields of a recipe that change a part and may be left out: an axis over them begins from nothing.
const std::set<std::string>& optionalFields() {
    static const std::set<std::string> fields = [] {
        std::set<std::string> all = {"measured",  "at_microbatch_size", "scale",
                                     "repeat",    "memory_bytes",       "host_Bps",
                                     "bandwidth", "depth_factor",       "parameters"};
        for (const SetupField& field : setupFields())
            if (!field.isRequired) all.insert(field.value.name);
        return all;
    }();
    return fields;
}

bool namesField(const json& at, const std::string& field) { return at.is_object() && at.contains(field); }

/// Complains unless the pointer names something, or what may be put there.
void checkPointer(const JsonValue& where, const std::string& pointer, const json& document) {
    json::json_pointer parsed;
    try {
        parsed = json::json_pointer(pointer);
    } catch (const json::exception&) {
        where.fail("'" + pointer + "' is not a JSON pointer", "one like /setup/microbatches");
    }
    if (parsed.empty()) where.fail("the pointer is empty", "one like /setup/microbatches");
    if (!pointsIntoBase(pointer)) return;
    const json* at = &document.at("base");
    std::vector<std::string> fields;
    for (auto rest = parsed; !rest.empty(); rest = rest.parent_pointer()) fields.push_back(rest.back());
    for (std::size_t i = fields.size(); i-- > 0;) {
        const std::string& field = fields[i];
        if (namesField(*at, field)) {
            at = &(*at)[field];
        } else if (at->is_array() && !field.empty() &&
                   field.find_first_not_of("0123456789") == std::string::npos && field.size() < 7 &&
                   std::stoul(field) < at->size()) {
            at = &(*at)[std::stoul(field)];
        } else if (optionalFields().contains(field)) {
            return;  // whoever reads the recipe looks at the rest
        } else if (i == 0 && at->is_object()) {
            return;  // a field with a default; one that there is not is refused when a point is made
        } else if (namesField(*at, "file") || namesField(document.at("base"), "project")) {
            return;  // what is in another file is looked at when a point is made
        } else {
            std::vector<std::string> there;
            if (at->is_object())
                for (const auto& [name, value] : at->items()) there.push_back(name);
            where.fail("'" + pointer + "' names nothing in the base" + spellingHint(field, there),
                       "the pointer of a field of it");
        }
    }
}

std::vector<std::string> pointersOf(const JsonObject& object, const json& document) {
    const JsonValue value = object.required("pointer");
    std::vector<std::string> pointers;
    if (!value.isArray()) {
        checkPointer(value, value.text(), document);
        return {value.text()};
    }
    for (const JsonValue& entry : value.elements()) {
        checkPointer(entry, entry.text(), document);
        pointers.push_back(entry.text());
    }
    if (pointers.empty()) value.fail("no pointer is given", "at least one");
    return pointers;
}

std::string labelOf(const json& value) {
    return value.is_string() ? value.get<std::string>() : formatJsonInline(value);
}

AxisValue valueAt(const std::vector<std::string>& pointers, const json& value,
                  const std::string& label = {}) {
    AxisValue made;
    made.label = label.empty() ? labelOf(value) : label;
    if (value.is_number()) made.number = value.get<double>();
    for (const std::string& pointer : pointers) made.changes.push_back({pointer, value.dump()});
    return made;
}

std::vector<double> valuesOfRange(const JsonValue& value) {
    const JsonObject object(value, {"from", "to", "step", "factor"});
    const double from = object.required("from").number(), to = object.required("to").number();
    const auto step = object.optional("step"), factor = object.optional("factor");
    if (!step == !factor) value.fail("a range needs either 'step' or 'factor'", "one of the two");
    if (step && !(step->number() > 0)) step->fail("the step is not above 0", "a step above 0");
    if (factor && !(factor->number() > 1)) factor->fail("the factor is not above 1", "a factor above 1");
    if (factor && !(from > 0))
        value.fail("a range with a factor begins at " + labelOf(json(from)), "above 0");
    if (to < from) value.fail("the range ends before it begins", "'to' at least 'from'");
    // Each value afresh, so that no rounding adds up; the end counts as reached within a billionth.
    std::vector<double> numbers;
    const double slack = 1e-9 * std::max(std::abs(to), std::abs(from));
    for (std::size_t i = 0; i <= mostAxisValues; ++i) {
        const double at = step ? from + static_cast<double>(i) * step->number()
                               : from * std::pow(factor->number(), static_cast<double>(i));
        if (at > to + slack) return numbers;
        numbers.push_back(at);
    }
    value.fail("the range has more than " + counted(mostAxisValues, "value"), "fewer");
}

json plainNumber(double number) {
    const bool whole = number == std::floor(number) && std::abs(number) < 1e15;
    return whole ? json(static_cast<std::int64_t>(number)) : json(number);
}

void addPlainValues(const JsonValue& list, const std::vector<std::string>& pointers, Axis& axis) {
    for (const JsonValue& entry : list.elements()) {
        const bool labelled = entry.has("label") && entry.has("value");
        if (labelled) JsonObject(entry, {"label", "value"});
        axis.values.push_back(labelled
                                  ? valueAt(pointers, entry.raw().at("value"), entry.member("label").text())
                                  : valueAt(pointers, entry.raw()));
    }
}

void addSeeds(const JsonValue& value, const std::vector<std::string>& pointers, Axis& axis) {
    axis.seeds = true;
    if (value.isArray()) {
        for (const JsonValue& entry : value.elements())
            axis.values.push_back(valueAt(pointers, json(entry.integer(0))));
        return;
    }
    const int count = value.integer(1, static_cast<int>(mostAxisValues));
    for (int seed = 1; seed <= count; ++seed) axis.values.push_back(valueAt(pointers, json(seed)));
}

void addCases(const JsonValue& list, const json& document, Axis& axis) {
    for (const JsonValue& entry : list.elements()) {
        const JsonObject object(entry, {"label", "number", "set"});
        AxisValue value;
        value.label = object.required("label").text();
        if (const auto number = object.optional("number")) value.number = number->number();
        const JsonValue set = object.required("set");
        for (const std::string& pointer : set.fieldNames()) {
            checkPointer(set, pointer, document);
            value.changes.push_back({pointer, set.raw().at(pointer).dump()});
        }
        axis.values.push_back(std::move(value));
    }
}

}  // namespace

bool pointsIntoBase(const std::string& pointer) { return !pointer.starts_with(plannersPrefix); }

Axis axisFromJson(const JsonValue& value, const json& document) {
    const JsonObject object(value, {"name", "unit", "pointer", "values", "range", "files", "seeds", "cases"});
    Axis axis;
    axis.name = object.required("name").text();
    axis.unit = object.textOr("unit", "");
    std::vector<std::string> forms;
    for (const char* form : {"values", "range", "files", "seeds", "cases"})
        if (object.optional(form)) forms.push_back(form);
    if (forms.size() != 1)
        value.fail(
            forms.empty() ? "the axis has no values" : "the axis has both " + forms[0] + " and " + forms[1],
            "one of values, range, files, seeds, cases");
    const std::string& form = forms.front();
    const JsonValue given = object.required(form);
    if (form == "cases") {
        if (const auto pointer = object.optional("pointer"))
            pointer->fail("cases say themselves what they set", "no pointer beside cases");
        addCases(given, document, axis);
    } else {
        const std::vector<std::string> pointers = pointersOf(object, document);
        if (form == "values") addPlainValues(given, pointers, axis);
        if (form == "seeds") addSeeds(given, pointers, axis);
        if (form == "range")
            for (const double number : valuesOfRange(given))
                axis.values.push_back(valueAt(pointers, plainNumber(number)));
        if (form == "files")
            for (const JsonValue& entry : given.elements()) {
                const std::string stem = std::filesystem::path(entry.text()).stem().stem().string();
                axis.values.push_back(valueAt(pointers, json{{"file", entry.text()}}, stem));
            }
    }
    if (axis.values.empty() || axis.values.size() > mostAxisValues)
        given.fail("the axis has " + counted(axis.values.size(), "value"),
                   "1 to " + std::to_string(mostAxisValues));
    std::set<std::string> labels;
    for (const AxisValue& one : axis.values)
        if (!labels.insert(one.label).second)
            given.fail("two values are called '" + one.label + "'", "labels that differ");
    return axis;
}

ordered_json axisToJson(const Axis& axis) {
    ordered_json out = {{"name", axis.name}};
    if (!axis.unit.empty()) out["unit"] = axis.unit;
    if (axis.seeds) {  // the one form that says more than its values
        ordered_json& pointers = out["pointer"] = ordered_json::array();
        for (const Change& change : axis.values.front().changes) pointers.push_back(change.pointer);
        ordered_json& seeds = out["seeds"] = ordered_json::array();
        for (const AxisValue& value : axis.values)
            seeds.push_back(ordered_json::parse(value.changes.front().json));
        return out;
    }
    ordered_json& cases = out["cases"] = ordered_json::array();
    for (const AxisValue& value : axis.values) {
        ordered_json entry = {{"label", value.label}};
        if (std::isfinite(value.number)) entry["number"] = value.number;
        entry["set"] = ordered_json::object();
        for (const Change& change : value.changes)
            entry["set"][change.pointer] = ordered_json::parse(change.json);
        cases.push_back(std::move(entry));
    }
    return out;
}

}  // namespace stagecraft::experiments
