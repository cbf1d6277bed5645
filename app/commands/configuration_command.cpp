// A training configuration as it is: does it fit, what bounds it, what does it reach.
#include "app/commands/command.h"
#include "app/commands/inputs.h"
#include "app/commands/model_options.h"
#include "app/commands/plan_report.h"
#include "app/commands/text_table.h"
#include "core/formats/configurations/configuration_formats.h"
#include "core/analysis/flops_utilisation.h"
#include "core/base/counted.h"
#include "core/formats/json_writer.h"
#include "core/formats/text_file.h"
#include "core/planners/planned_run.h"
#include "core/programs/configuration_check.h"
#include "core/programs/configured_plan.h"

#include <algorithm>
#include <iostream>
#include <iterator>

namespace stagecraft::app::commands {

using nlohmann::ordered_json;

namespace {

/// A configuration, and what it is called in complaints.
struct NamedText {
    std::string text, name;
};

NamedText configurationText(const Arguments& arguments) {
    if (const auto typed = arguments.text("arguments")) {
        arguments.refuseMoreThan(0);
        return {*typed, "--arguments"};
    }
    arguments.refuseMoreThan(1);
    const std::string& file =
        arguments.positionalAt(0, "FILE (or - for what is piped in, or --arguments TEXT)");
    if (file != "-") return {readTextFile(file), file};
    return {std::string(std::istreambuf_iterator<char>(std::cin), {}), "standard input"};
}

/// The plan on the machines, with the model that is named beside the configuration or the one that it has.
ConfiguredPlan plannedOn(const Arguments& arguments, const Configuration& configuration,
                         const std::string& file, std::ostream& err) {
    Cluster cluster = machinesFrom(arguments, err, configuration.machines);
    const ConfiguredLayout layout = layoutOn(configuration, cluster.deviceCount(), file);
    const ParameterValues given = describedValues(arguments);
    LayerProfile profile;
    if (const auto model = arguments.text("model")) {
        ParameterValues besides = profileValuesOf(configuration, layout);
        for (const auto& [name, value] : given) besides.erase(name);
        profile = profileOfWord(arguments, *model, cluster, besides, err);
        if (profile.microbatchSize != layout.microbatchSize)
            profile = profileAtSize(profile, layout.microbatchSize);
    } else {
        profile = profileOf(configuration, layout, cluster, file, given);
    }
    return configuredPlan(configuration, layout, std::move(profile), std::move(cluster), file);
}

// ---- text ----

void printItems(const std::vector<ConfigurationItem>& items, ItemKind kind, const char* heading,
                std::ostream& out) {
    const auto count = std::ranges::count(items, kind, &ConfigurationItem::kind);
    if (count == 0) return;
    out << "\n" << heading << " (" << count << ")\n";
    std::size_t widest = 0;
    constexpr std::size_t most = 48;
    for (const ConfigurationItem& item : items)
        if (item.kind == kind) widest = std::max(widest, characterCount(item.argument));
    widest = std::min(widest, most);
    for (const ConfigurationItem& item : items) {
        if (item.kind != kind) continue;
        const std::size_t own = characterCount(item.argument);
        out << "  " << item.argument << std::string(own < widest ? widest - own : 0, ' ') << "  "
            << item.text;
        if (!item.place.empty()) out << " (" << item.place << ")";
        out << "\n";
    }
}

/// What has no meaning for planning is named, and no more.
void printMeaningless(const std::vector<ConfigurationItem>& items, std::ostream& out) {
    std::vector<std::string> names;
    for (const ConfigurationItem& item : items)
        if (item.kind == ItemKind::withoutMeaning)
            names.push_back(item.argument.substr(0, item.argument.find(' ')));
    if (names.empty()) return;
    out << "\nno meaning for planning (" << names.size() << ")\n  " << joinNames(names, " ") << "\n";
}

void printCheck(const ConfigurationCheck& check, std::ostream& out) {
    out << "fits:    " << check.memory << "\n         " << check.byCause << "\n"
        << "time:    " << check.time << "\n"
        << "bounds:  " << check.bounds << "\n"
        << "MFU:     " << check.utilisation << "\n";
    for (const std::string& violation : check.violations) out << "invalid: " << violation << "\n";
}

void printConfiguration(const Configuration& configuration, const ConfiguredPlan& planned, const PlanRun& run,
                        std::ostream& out) {
    const Problem& problem = planned.problem;
    out << configuration.format << ": " << problem.profile.name << " on "
        << counted(problem.cluster.deviceCount(), "GPU") << "\n"
        << layoutInWords(planned) << "\n\n";
    if (run.ok()) {
        printCheck(checkOf(run), out);
    } else {
        out << "no plan: " << run.result.reason << "\n";
    }
    printItems(planned.items, ItemKind::unknown, "not understood", out);
    printItems(planned.items, ItemKind::notModelled, "not modelled", out);
    printItems(planned.items, ItemKind::understood, "understood", out);
    printMeaningless(planned.items, out);
}

// ---- JSON ----

ordered_json itemsJson(const std::vector<ConfigurationItem>& items) {
    ordered_json list = ordered_json::array();
    for (const ConfigurationItem& item : items)
        list.push_back({{"kind", nameOf(configurationItemKindNames, item.kind)},
                        {"argument", item.argument},
                        {"place", item.place},
                        {"text", item.text}});
    return list;
}

void writeConfigurationJson(const Configuration& configuration, const ConfiguredPlan& planned,
                            const PlanRun& run, std::ostream& out) {
    ordered_json document = {{"format", configuration.format},
                             {"layout", layoutInWords(planned)},
                             {"arguments", itemsJson(planned.items)}};
    if (run.ok()) {
        document["bounds"] = checkOf(run).bounds;
        const auto reached = flopsUtilisation(*run.costs, run.result.plan, run.evaluation->metrics);
        document["mfu"] = reached ? ordered_json(reached->share()) : ordered_json();
        document["model_flops"] = reached ? ordered_json(reached->modelFlops) : ordered_json();
        document["flops_per_gpu"] = reached ? ordered_json(reached->flopsPerDevice()) : ordered_json();
    }
    const ordered_json report = ordered_json::parse(planReportJson({{planned.plan.planner, run}}));
    document["results"] = report.at("results");
    out << formatJson(document);
}

int runConfiguration(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    const NamedText named = configurationText(arguments);
    const Configuration configuration = readConfiguration(named.text, named.name);
    const ConfiguredPlan planned = plannedOn(arguments, configuration, named.name, err);
    const PlanRun run = evaluatePlan(std::make_shared<const CostModel>(planned.problem), planned.plan);
    const auto path = arguments.text("out");
    if (path && !run.ok()) err << "no plan: " << *path << " is not written\n";
    if (path && run.ok()) {
        Project project;
        project.name = planned.problem.profile.name;
        project.problem = planned.problem;
        project.plans = {planned.plan};
        project.origins = {originOf(planned)};
        writeFileAtomically(*path, writeProject(project));
    }
    if (arguments.has("json"))
        writeConfigurationJson(configuration, planned, run, out);
    else
        printConfiguration(configuration, planned, run, out);
    return run.ok() ? exitDone : exitFailed;
}

std::string readFormats() {
    std::vector<std::string> names;
    for (const ConfigurationFormat& format : configurationFormats()) names.push_back(format.name);
    return joinNames(names, "; ");
}

}  // namespace

Command configurationCommand() {
    Command command{"configuration",
                    {"FILE|- [--machines WORDS] [OPTIONS]", "--arguments TEXT --machines WORDS [OPTIONS]"},
                    "Plans a training configuration exactly as it is, and says whether it fits, what bounds "
                    "it, its MFU, and "
                    "which of its arguments were not understood. Read are: " +
                        readFormats() + ".",
                    {{"arguments", "TEXT", "the configuration itself: \"--tensor-model-parallel-size 8 …\""},
                     {"model", "MODEL",
                      "a model by its name, or a file that describes one, in place of the configuration's"},
                     {"machines", "WORDS",
                      "machines by their name, and how many ('2x dgx-h100'), or a file of a cluster; those "
                      "that a comment '# Machines: …' of the configuration names unless given"},
                     {"cluster", "F", "a cluster's file, instead"},
                     {"json", "", "print JSON"},
                     {"out", "F", "write a project with the plan"}},
                    &runConfiguration};
    for (const auto* options : {&computedOptions, &describedOptions()})
        command.options.insert(command.options.end(), options->begin(), options->end());
    return command;
}

}  // namespace stagecraft::app::commands
