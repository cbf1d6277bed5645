#include "app/commands/import_command.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::app::commands {

namespace {

/// The placeholder of a value in the help.
std::string placeholderOf(const Parameter& parameter) {
    switch (parameter.quantity) {
        case Quantity::bandwidth:
            return "'100 Gbit/s'";
        case Quantity::bytes:
            return "'16 GiB'";
        case Quantity::seconds:
            return "'5 us'";
        case Quantity::plain:
            break;
    }
    if (std::holds_alternative<bool>(parameter.defaultValue)) return "true|false";
    return std::holds_alternative<int>(parameter.defaultValue) ? "N" : "NAME";
}

}  // namespace

const std::vector<Option>& topologyOptions() {
    static const std::vector<Option> options = [] {
        std::vector<Option> all;
        for (const Parameter& parameter : importParameters()) {
            std::string help = parameter.description;
            // Presets explain themselves, and GPUs are too many to list.
            if (!parameter.choices.empty() && !parameter.othersToo && parameter.name != "nvlink")
                help += ": " + joinNames(parameter.choices, " | ");
            all.push_back({optionName(parameter.name), placeholderOf(parameter), std::move(help)});
        }
        return all;
    }();
    return options;
}

ImportOptions topologyOptionsFrom(const Arguments& arguments) {
    ParameterValues values = defaultValues(importParameters());
    for (const Parameter& parameter : importParameters()) {
        const auto text = arguments.text(optionName(parameter.name));
        if (!text) continue;
        try {
            values[parameter.name] = readParameter(parameter, *text);
        } catch (const std::invalid_argument& error) {
            throw UsageError("--" + optionName(parameter.name) + ": " + error.what());
        }
    }
    try {
        return importOptions(values);
    } catch (const std::invalid_argument& error) {
        throw UsageError(std::string("--gpu: ") + error.what());
    }
}

}  // namespace stagecraft::app::commands
