#include "app/commands/command.h"
#include "app/commands/parameter_report.h"
#include "core/base/units.h"
#include "core/formats/json_writer.h"
#include "core/formats/native/formats.h"
#include "core/formats/profiles/efficiency_file.h"
#include "core/generation/generated_profile.h"
#include "core/generation/template_catalogue.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace stagecraft::app::commands {
namespace {

bool isShared(const Parameter& parameter) { return parameter.name == "gpu"; }

/// "profile MODEL" or "profile --model MODEL".
std::string chosenModel(const Arguments& arguments) {
    const std::optional<std::string> named = arguments.text("model");
    if (!named) return arguments.positionalAt(1, "MODEL (" + joinNames(modelNames(), " | ") + ")");
    arguments.refuseMoreThan(1);
    return *named;
}

/// The options of `generate profile`: one for each parameter of any model and of the timing, but those that a
/// cluster takes too.
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

/// The text of the profile that the arguments ask for; what they ask for is the model zoo's description.
/// @throws UsageError and std::invalid_argument
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
    return writeProfile(generatedProfile(model, given, readEfficiencyFile));
}

/// `generate models`: what can be generated, and from which parameters.
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

/// Options that are another way to write a parameter of a template.
struct Shorthand {
    const char* option;
    const char* parameter;
    const char* unit;  ///< of the bare number that the option takes
    const char* help;
};
constexpr Shorthand shorthands[] = {
    {"gpu", "gpu", "", ""},
    {"seed", "seed", "", "cluster: as --set seed=N"},
    {"servers", "servers", "", "cluster: as --set servers=N"},
    {"gpus-per-server", "gpus_per_server", "", "cluster: as --set gpus_per_server=N"},
    {"server-bandwidth-Bps", "pcie_bandwidth", " B/s", "cluster: as --set pcie_bandwidth='N B/s'"},
    {"network-bandwidth-Bps", "network_bandwidth", " B/s", "cluster: as --set network_bandwidth='N B/s'"},
    {"network-latency-s", "network_latency", " s", "cluster: as --set network_latency='N s'"}};

/// An option that the chosen kind has no use for is a mistake and not to be passed over.
void refuseUnused(const Arguments& arguments, const std::vector<std::string>& options,
                  const std::string& kind) {
    for (const std::string& option : options)
        if (arguments.has(option)) throw UsageError("--" + option + " means nothing for " + kind);
}

std::string profileText(const Arguments& arguments) {
    for (const Shorthand& each : shorthands)
        if (std::string(each.option) != "gpu") refuseUnused(arguments, {each.option}, "a profile");
    refuseUnused(arguments, {"json"}, "a profile");
    return generatedProfileText(arguments);
}

std::vector<std::string> templateIds() {
    std::vector<std::string> ids;
    for (const ClusterTemplate& each : clusterTemplates()) ids.push_back(each.id);
    return ids;
}

bool hasParameter(const ClusterTemplate& chosen, const std::string& name) {
    return std::any_of(chosen.parameters.begin(), chosen.parameters.end(),
                       [&](const Parameter& parameter) { return parameter.name == name; });
}

std::string generatedCluster(const Arguments& arguments) {
    for (const Option& option : profileOptions()) refuseUnused(arguments, {option.name}, "a cluster");
    refuseUnused(arguments, {"json"}, "a cluster");
    const std::string& id = arguments.positionalAt(1, "TEMPLATE (" + joinNames(templateIds(), " | ") + ")");
    const ClusterTemplate* chosen = findClusterTemplate(id);
    if (!chosen)
        throw UsageError("no cluster template '" + id + "'" + spellingHint(id, templateIds()) +
                         "; expected one of " + joinNames(templateIds()));
    ParameterValues values = defaultValues(chosen->parameters);
    for (const Shorthand& each : shorthands) {
        const std::optional<std::string> text = arguments.text(each.option);
        if (text && !hasParameter(*chosen, each.parameter))
            refuseUnused(arguments, {each.option}, "the template '" + id + "'");
        if (text)
            setParameter(chosen->parameters, values, std::string(each.parameter) + "=" + *text + each.unit);
    }
    for (const std::string& assignment : arguments.all("set"))
        setParameter(chosen->parameters, values, assignment);
    return writeCluster(chosen->make(values));
}

void listTemplates(const Arguments& arguments, std::ostream& out) {
    arguments.refuseMoreThan(1);
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const ClusterTemplate& each : clusterTemplates()) {
        if (arguments.has("json")) {
            list.push_back({{"id", each.id}, {"title", each.title}, {"description", each.description}});
            list.back()["parameters"] = parametersJson(each.parameters);
        } else {
            out << each.id << ": " << each.description << "\n";
            printParameters(each.parameters, out);
        }
    }
    if (arguments.has("json")) out << formatJson({{"templates", std::move(list)}});
}

/// The table of link technologies: both rates, and where each was seen.
void listLinks(const Arguments& arguments, std::ostream& out) {
    arguments.refuseMoreThan(1);
    const auto stated = [](double bps, const char* source) {
        return bps > 0 ? formatNumber(bps / gigabyte) + " GB/s (" + source + ")" : std::string("no source");
    };
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const LinkTechnology& each : linkTechnologies()) {
        list.push_back({{"id", each.id},
                        {"name", each.name},
                        {"of", each.unit},
                        {"data_sheet_Bps", each.dataSheetBps},
                        {"data_sheet_source", each.dataSheetSource},
                        {"reached_Bps", each.reachedBps},
                        {"reached_source", each.reachedSource}});
        if (!arguments.has("json"))
            out << each.id << ": " << each.name << ", one way per " << each.unit << ": data sheet "
                << stated(each.dataSheetBps, each.dataSheetSource) << "; reached "
                << stated(each.reachedBps, each.reachedSource) << "\n";
    }
    if (arguments.has("json")) out << formatJson({{"links", std::move(list)}});
}

int runGenerate(const Arguments& arguments, std::ostream& out, std::ostream&) {
    arguments.refuseMoreThan(2);
    const std::vector<std::string> kinds = {"profile", "cluster", "models", "templates", "links"};
    const std::string& kind =
        arguments.positionalAt(0, "'profile', 'cluster', 'models', 'templates' or 'links'");
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
        throw UsageError("'" + kind + "' cannot be generated" + spellingHint(kind, kinds) +
                         "; expected profile, cluster, models, templates or links");
    if (kind != "profile" && kind != "cluster") {
        kind == "models"  ? listModels(arguments, out)
        : kind == "links" ? listLinks(arguments, out)
                          : listTemplates(arguments, out);
        return exitDone;
    }
    const std::string target = arguments.required("out");
    try {
        writeFileAtomically(target, kind == "profile" ? profileText(arguments) : generatedCluster(arguments));
    } catch (const std::invalid_argument& error) {
        throw UsageError(error.what());
    }
    return exitDone;
}

}  // namespace

Command generateCommand() {
    Command command{"generate",
                    {"profile MODEL --out F [OPTIONS]", "cluster TEMPLATE --out F [--set NAME=VALUE …]",
                     "models [--json]", "templates [--json]", "links [--json]"},
                    "Makes a profile from the model zoo, or a cluster from a template; lists models, "
                    "templates and the rates of links.",
                    {{"out", "F", "the file to write"},
                     {"gpu", "NAME", "as --set gpu=NAME"},
                     {"set", "NAME=VALUE",
                      "a parameter of the model, as depth=48, or of the template, with its unit: "
                      "network_bandwidth='100 Gbit/s'",
                      true},
                     {"json", "", "models, templates, links: print JSON"}},
                    &runGenerate};
    for (Option& option : profileOptions()) command.options.push_back(std::move(option));
    for (const Shorthand& each : shorthands)
        if (*each.help) command.options.push_back({each.option, "N", each.help});
    return command;
}

}  // namespace stagecraft::app::commands
