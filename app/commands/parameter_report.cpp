#include "app/commands/parameter_report.h"

#include "core/base/spelling.h"

#include <nlohmann/json.hpp>

namespace stagecraft::app::commands {

using nlohmann::ordered_json;

namespace {

ordered_json valueJson(const ParameterValue& value) {
    return std::visit([](const auto& held) { return ordered_json(held); }, value);
}

ordered_json parameterJson(const Parameter& parameter) {
    ordered_json out = {{"name", parameter.name},
                        {"label", parameter.label},
                        {"description", parameter.description},
                        {"default", valueJson(parameter.defaultValue)}};
    if (std::holds_alternative<int>(parameter.defaultValue) ||
        std::holds_alternative<double>(parameter.defaultValue)) {
        out["minimum"] = parameter.minimum;
        out["maximum"] = parameter.maximum;
    }
    if (!parameter.choices.empty()) out["choices"] = parameter.choices;
    if (parameter.othersToo) out["others_too"] = true;
    return out;
}

}  // namespace

ordered_json parametersJson(const std::vector<Parameter>& parameters) {
    ordered_json out = ordered_json::array();
    for (const Parameter& parameter : parameters) out.push_back(parameterJson(parameter));
    return out;
}

void printParameters(const std::vector<Parameter>& parameters, std::ostream& out) {
    constexpr std::size_t mostListed = 8;
    for (const Parameter& parameter : parameters) {
        const std::string value = toText(parameter, parameter.defaultValue);
        const bool spaced = value.find(' ') != std::string::npos;
        out << "    --set " << parameter.name << "=" << (spaced ? "'" + value + "'" : value) << "  "
            << parameter.description;
        if (!parameter.choices.empty() && parameter.choices.size() <= mostListed)
            out << " (" << joinNames(parameter.choices, " | ") << ")";
        out << "\n";
    }
}

}  // namespace stagecraft::app::commands
