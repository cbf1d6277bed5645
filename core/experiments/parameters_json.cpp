#include "core/experiments/parameters_json.h"

#include "core/base/quantity.h"
#include "core/experiments/cell_result.h"

#include <algorithm>

namespace stagecraft::experiments {

namespace {
std::string textOf(const JsonValue& value, const Parameter& parameter) {
    if (std::holds_alternative<bool>(parameter.defaultValue) && value.isBoolean())
        return value.boolean() ? "true" : "false";
    if (std::holds_alternative<int>(parameter.defaultValue))
        return std::to_string(value.integer(std::numeric_limits<int>::min()));
    if (std::holds_alternative<double>(parameter.defaultValue) && value.isNumber())
        return exactText(parameter.quantity, value.number());
    return value.text();
}
}  // namespace

ParameterValues parametersFromJson(const JsonValue& value, const std::vector<Parameter>& parameters) {
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters) names.push_back(parameter.name);
    const JsonObject object(value, names);
    ParameterValues values;
    for (const Parameter& parameter : parameters) {
        const auto given = object.optional(parameter.name);
        if (!given) continue;
        try {
            values[parameter.name] = readParameter(parameter, textOf(*given, parameter));
        } catch (const std::invalid_argument& error) {
            given->fail(error.what(), "a value of that parameter");
        }
    }
    return values;
}

ParameterValues unknownParametersFromJson(const JsonValue& value) {
    ParameterValues values;
    for (const std::string& name : value.fieldNames()) {
        const JsonValue given = value.member(name);
        if (given.isBoolean())
            values[name] = given.boolean();
        else if (given.raw().is_number_integer())
            values[name] = given.integer(std::numeric_limits<int>::min());
        else if (given.isNumber())
            values[name] = given.number();
        else
            values[name] = given.text();
    }
    return values;
}

nlohmann::ordered_json parametersToJson(const ParameterValues& values) {
    nlohmann::ordered_json out = nlohmann::ordered_json::object();
    for (const auto& [name, value] : values)
        std::visit([&, &key = name](const auto& it) { out[key] = it; }, value);
    return out;
}

void failMetric(const JsonValue& name) {
    std::vector<std::string> known;
    for (const MetricDescription& metric : metricDescriptions()) known.push_back(metric.name);
    std::string all;
    for (const std::string& one : known) all += (all.empty() ? "" : ", ") + one;
    name.fail("no metric '" + name.text() + "'" + spellingHint(name.text(), known), "one of " + all);
}

nlohmann::json withoutFields(nlohmann::json object, const std::vector<std::string>& fields) {
    for (const std::string& field : fields) object.erase(field);
    return object;
}

}  // namespace stagecraft::experiments
