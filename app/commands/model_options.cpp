#include "app/commands/model_options.h"

#include <cctype>
#include <set>
#include <stdexcept>

namespace stagecraft::app::commands {

namespace {

/// Of a model that has all there is.
const std::vector<Parameter>& allDescribed() {
    static const std::vector<Parameter> parameters = [] {
        DescribedModel described;
        described.model.predictionLayers = 1;
        return describedParameters(described);
    }();
    return parameters;
}

/// --microbatch-size is an option of all profiles that do not say it.
bool isOfAllProfiles(const std::string& name) {
    static const std::set<std::string> names = {"gpu", "precision", "microbatch_size", "granularity"};
    return names.contains(name);
}

/// "whether …" of "Whether …".
std::string inSentence(std::string description) {
    const bool isAbbreviation = description.size() > 1 && std::isupper(description[1]);  // GPUs
    if (!description.empty() && !isAbbreviation)
        description.front() = static_cast<char>(std::tolower(description.front()));
    return description;
}

}  // namespace

const std::vector<Option>& describedOptions() {
    static const std::vector<Option> options = [] {
        std::vector<Option> list;
        for (const Parameter& parameter : allDescribed()) {
            if (isOfAllProfiles(parameter.name)) continue;
            const bool isFlag = std::holds_alternative<bool>(parameter.defaultValue);
            const bool isText = std::holds_alternative<std::string>(parameter.defaultValue);
            const std::vector<std::string> choices =
                isFlag ? std::vector<std::string>{"true", "false"} : parameter.choices;
            // Completion takes the values from there.
            const std::string values = choices.empty() ? "" : ": " + joinNames(choices, " | ");
            list.push_back({optionName(parameter.name),
                            !choices.empty()   ? "NAME"
                            : parameter.isFile ? "FILE"
                            : isText           ? "LIST"
                                               : "N",
                            "model: " + inSentence(parameter.description) + values});
        }
        return list;
    }();
    return options;
}

ParameterValues describedValues(const Arguments& arguments) {
    ParameterValues values;
    for (const Parameter& parameter : allDescribed()) {
        if (parameter.name == "microbatch_size") continue;
        const std::string option = optionName(parameter.name);
        if (!arguments.has(option)) continue;
        if (std::holds_alternative<bool>(parameter.defaultValue)) {
            values[parameter.name] = *arguments.boolean(option);
            continue;
        }
        try {
            setParameter(allDescribed(), values, parameter.name + "=" + arguments.required(option));
        } catch (const std::invalid_argument& error) {
            throw UsageError("--" + option + ": " + error.what());
        }
    }
    return values;
}

}  // namespace stagecraft::app::commands
