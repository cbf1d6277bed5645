#include "core/experiments/printed_json.h"

#include "core/experiments/cell_result.h"
#include "core/experiments/named_parts.h"
#include "core/experiments/parameters_json.h"

#include <algorithm>

namespace stagecraft::experiments {

using nlohmann::ordered_json;

namespace {

constexpr char outOfMemory[] = "OOM";

std::optional<double> numberFromJson(const JsonValue& value) {
    if (value.raw() == outOfMemory) return std::nullopt;
    if (!value.isNumber())
        value.fail("it is no number", std::string("a number in the metric's base unit, or \"") + outOfMemory +
                                          "\" where memory ran out in the source");
    return value.number();
}

}  // namespace

PrintedTable printedFromJson(const JsonValue& value, const Experiment& experiment) {
    const JsonObject object(value, {"place", "metric", "along", "at", "values"});
    PrintedTable table;
    table.place = object.required("place").text();
    const JsonValue metric = object.required("metric");
    if (!findMetric(metric.text())) failMetric(metric);
    table.metric = metric.text();
    const JsonValue along = object.required("along");
    const Axis& axis = namedAxis(along, along.text(), experiment);
    table.along = axis.name;
    if (const auto at = object.optional("at"))
        for (const std::string& name : at->fieldNames()) {
            const JsonValue label = at->member(name);
            if (name == table.along) label.fail("the table goes along that axis", "another axis");
            table.at[name] = valueLabel(label, namedAxis(label, name, experiment));
        }
    const JsonValue values = object.required("values");
    for (const std::string& planner : values.fieldNames()) {
        const JsonValue row = values.member(planner);
        const nlohmann::json name = planner;
        plannerLabel(JsonValue(name, row.file(), row.pointer()), experiment);
        for (const std::string& label : row.fieldNames()) {
            const JsonValue number = row.member(label);
            table.numbers.push_back({planner, valueLabel(number, label, axis), numberFromJson(number)});
        }
    }
    if (table.numbers.empty()) values.fail("no number is given", "at least one, by planner and value");
    return table;
}

ordered_json printedToJson(const PrintedTable& table, const Experiment& experiment) {
    ordered_json out = {{"place", table.place}, {"metric", table.metric}, {"along", table.along}};
    if (!table.at.empty()) out["at"] = table.at;
    ordered_json& values = out["values"] = ordered_json::object();
    for (const AskedPlanner& planner : experiment.planners)
        for (const AxisValue& value : experiment.axis(table.along)->values)
            for (const PrintedNumber& one : table.numbers)
                if (one.planner == planner.label && one.value == value.label)
                    values[planner.label][value.label] =
                        one.number ? ordered_json(*one.number) : ordered_json(outOfMemory);
    return out;
}

}  // namespace stagecraft::experiments
