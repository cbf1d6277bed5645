#include "app/commands/generate_profile.h"

#include "app/commands/parameter_report.h"
#include "core/formats/json_writer.h"
#include "core/formats/native/formats.h"
#include "core/generation/generated_profile.h"

#include <algorithm>
#include <set>

namespace stagecraft::app {

namespace {

bool isShared(const Parameter& parameter) { return parameter.name == "gpu"; }

/// "profile MODEL" or "profile --model MODEL".
std::string chosenModel(const Arguments& arguments) {
    const std::optional<std::string> named = arguments.text("model");
    if (!named) return arguments.positionalAt(1, "MODEL (" + joinNames(modelNames(), " | ") + ")");
    arguments.refuseMoreThan(1);
    return *named;
}

}  // namespace

std::vector<Option> profileOptions() {
    std::vector<Option> options = {{"model", "NAME", "profile: the model, instead of MODEL"}};
    std::set<std::string> seen;
    for (const ModelDescription& model : modelZoo())
        for (const Parameter& parameter : profileParameters(model.name)) {
            if (isShared(parameter) || !seen.insert(parameter.name).second) continue;
            const bool number = !std::holds_alternative<std::string>(parameter.defaultValue);
            options.push_back({optionName(parameter.name), number ? "N" : "VALUE",
                               "profile: as --set " + parameter.name + "=" + (number ? "N" : "VALUE")});
        }
    return options;
}

std::string generatedProfileText(const Arguments& arguments) {
    const std::string model = chosenModel(arguments);
    const std::vector<Parameter> parameters = profileParameters(model);
    ParameterValues given;
    std::vector<std::string> known = {"model", "gpu", "set", "out"};
    for (const Parameter& parameter : parameters) {
        known.push_back(optionName(parameter.name));
        if (const auto text = arguments.text(optionName(parameter.name)))
            setParameter(parameters, given, parameter.name + "=" + *text);
    }
    for (const Option& option : profileOptions())
        if (arguments.has(option.name) && std::find(known.begin(), known.end(), option.name) == known.end())
            throw UsageError("--" + option.name + " means nothing for " + model);
    for (const std::string& assignment : arguments.all("set")) setParameter(parameters, given, assignment);
    return writeProfile(generatedProfile(model, given));
}

void listModels(const Arguments& arguments, std::ostream& out) {
    arguments.refuseMoreThan(1);
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const ModelDescription& model : modelZoo()) {
        const std::vector<Parameter> parameters = profileParameters(model.name);
        if (arguments.has("json")) {
            list.push_back({{"id", model.name}, {"description", model.summary}});
            list.back()["parameters"] = parametersJson(parameters);
        } else {
            out << model.name << ": " << model.summary << "\n";
            printParameters(model.parameters, out);
        }
    }
    if (arguments.has("json")) {
        out << formatJson({{"models", std::move(list)}});
        return;
    }
    out << "every model:\n";
    printParameters(timingParameters(), out);
}

}  // namespace stagecraft::app
