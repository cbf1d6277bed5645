#include "core/experiments/axis_json.h"
#include "core/experiments/cell_result.h"
#include "core/experiments/chart_json.h"
#include "core/experiments/claim_json.h"
#include "core/experiments/experiment.h"
#include "core/experiments/parameters_json.h"
#include "core/experiments/printed_json.h"
#include "core/formats/json_reader.h"
#include "core/formats/json_writer.h"
#include "core/formats/files/project_file.h"
#include "core/formats/files/problem_json.h"
#include "core/planners/planner.h"
#include "core/programs/planner_program.h"
#include "core/training/policy.h"

#include <set>

namespace stagecraft::experiments {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

ExperimentSource sourceFromJson(const JsonValue& value) {
    const JsonObject object(value, {"paper", "place"});
    return {object.textOr("paper", ""), object.textOr("place", "")};
}

std::string policyFromJson(const JsonValue& value) {
    if (training::findPolicy(value.text())) return value.text();
    std::vector<std::string> known;
    for (const training::PolicyDescription& policy : training::policies()) known.push_back(policy.id);
    value.fail("no policy '" + value.text() + "'" + spellingHint(value.text(), known),
               "one of those that 'stagecraft train --help' lists");
}

/// "exec:PATH": nothing is started to read it, so that its title and parameters are not known yet.
AskedPlanner programFromJson(const JsonValue& value, const std::filesystem::path& directory) {
    const std::string& named = (value.isObject() ? value.member("planner") : value).text();
    const ProgramFile program = programOf(named, directory);
    AskedPlanner asked{program.path.filename().string(), byPath + program.path.string(), {}};
    if (!value.isObject()) return asked;
    const JsonObject object(value, {"label", "planner", "parameters", "policy"});
    asked.label = object.textOr("label", asked.label);
    if (const auto values = object.optional("parameters")) asked.values = unknownParametersFromJson(*values);
    if (const auto policy = object.optional("policy")) asked.policy = policyFromJson(*policy);
    return asked;
}

bool namesProgram(const JsonValue& value) {
    const auto& named = value.has("planner") ? value.raw().at("planner") : value.raw();
    return named.is_string() && isByPath(named.get<std::string>());
}

/// With the path of a program that is in the experiment's folder, or below, from there.
std::string writtenPlanner(const std::string& planner, const std::filesystem::path& directory) {
    if (!isByPath(planner)) return planner;
    const std::filesystem::path path = programOf(planner).path;
    const std::filesystem::path relative =
        path.lexically_relative(std::filesystem::absolute(directory).lexically_normal());
    const bool inside = !directory.empty() && !relative.empty() && *relative.begin() != "..";
    return byPath + (inside ? relative : path).string();
}

AskedPlanner plannerFromJson(const JsonValue& value, const std::filesystem::path& directory) {
    if (namesProgram(value)) return programFromJson(value, directory);
    std::vector<std::string> known;
    for (const auto& planner : allPlanners()) known.push_back(planner->description().id);
    const auto found = [&](const JsonValue& id) -> const Planner& {
        const Planner* planner = findPlanner(id.text());
        if (!planner)
            id.fail("no planner '" + id.text() + "'" + spellingHint(id.text(), known),
                    "one of those that 'stagecraft planners' lists");
        return *planner;
    };
    if (!value.isObject()) {
        const Planner& planner = found(value);
        return {planner.description().title, planner.description().id, {}};
    }
    const JsonObject object(value, {"label", "planner", "parameters", "policy"});
    const Planner& planner = found(object.required("planner"));
    AskedPlanner asked{object.textOr("label", planner.description().title), planner.description().id, {}};
    if (const auto values = object.optional("parameters"))
        asked.values = parametersFromJson(*values, planner.description().parameters);
    if (const auto policy = object.optional("policy")) asked.policy = policyFromJson(*policy);
    return asked;
}

/// The base with a project that it names put in its place.
json baseFromJson(const JsonValue& value, const std::filesystem::path& directory) {
    if (!value.has("project")) return value.raw();
    const JsonValue reference = JsonObject(value, {"project"}).required("project");
    const std::filesystem::path path = directory / reference.text();
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
        reference.fail("no file '" + path.string() + "'",
                       "the path of a project relative to the directory of this file");
    ordered_json parts;
    addProblem(parts, {openProject(path).problem, {}, {}});
    return json::parse(parts.dump());
}

void readPlanners(const JsonValue& list, Experiment& experiment, bool trains) {
    std::set<std::string> labels;
    for (const JsonValue& entry : list.elements()) {
        experiment.planners.push_back(plannerFromJson(entry, experiment.directory));
        if (trains == experiment.planners.back().policy.empty())
            entry.fail(trains ? "no policy says which weights are used in training"
                              : "a policy is named, and nothing is trained",
                       "a policy where the base has 'training', and only there");
        if (!labels.insert(experiment.planners.back().label).second)
            entry.fail("a second planner is called '" + experiment.planners.back().label + "'",
                       "a unique label for each");
    }
    if (experiment.planners.empty()) list.fail("no planner is asked", "at least one");
}

}  // namespace

Experiment readExperiment(std::string_view text, const std::string& file,
                          const std::filesystem::path& directory) {
    const json document = parseJson(text, file);
    const JsonValue root(document, file);
    checkHeader(root, experimentFormat);
    const JsonObject object(root, {"format", "version", "name", "about", "differs", "source", "base", "axes",
                                   "planners", "metrics", "claims", "printed", "chart"});
    Experiment experiment;
    experiment.directory = directory;
    experiment.name = object.required("name").text();
    experiment.about = object.textOr("about", "");
    experiment.differs = object.textOr("differs", "");
    if (const auto source = object.optional("source")) experiment.source = sourceFromJson(*source);
    const json base = baseFromJson(object.required("base"), directory);
    experiment.base = base.dump();
    readPlanners(object.required("planners"), experiment, base.is_object() && base.contains("training"));
    if (const auto axes = object.optional("axes"))
        for (const JsonValue& entry : axes->elements()) {
            experiment.axes.push_back(axisFromJson(entry, document));
            for (std::size_t i = 0; i + 1 < experiment.axes.size(); ++i)
                if (experiment.axes[i].name == experiment.axes.back().name)
                    entry.fail("a second axis is called '" + experiment.axes.back().name + "'",
                               "a unique name for each");
        }
    if (const auto metrics = object.optional("metrics"))
        for (const JsonValue& entry : metrics->elements()) {
            if (!findMetric(entry.text())) failMetric(entry);
            experiment.metrics.push_back(entry.text());
        }
    if (experiment.metrics.empty()) experiment.metrics = {"iteration_time_s"};
    if (const auto claims = object.optional("claims"))
        for (const JsonValue& entry : claims->elements())
            experiment.claims.push_back(claimFromJson(entry, experiment));
    if (const auto printed = object.optional("printed"))
        for (const JsonValue& entry : printed->elements())
            experiment.printed.push_back(printedFromJson(entry, experiment));
    if (const auto chart = object.optional("chart")) experiment.chart = chartFromJson(*chart, experiment);
    return experiment;
}

Experiment openExperiment(const std::filesystem::path& path) {
    return readExperiment(readTextFile(path), path.string(), path.parent_path());
}

std::string writeExperiment(const Experiment& experiment) {
    ordered_json out = header(experimentFormat);
    out["name"] = experiment.name;
    if (!experiment.source.paper.empty() || !experiment.source.place.empty())
        out["source"] = {{"paper", experiment.source.paper}, {"place", experiment.source.place}};
    if (!experiment.about.empty()) out["about"] = experiment.about;
    if (!experiment.differs.empty()) out["differs"] = experiment.differs;
    out["base"] = ordered_json::parse(experiment.base);
    ordered_json& axes = out["axes"] = ordered_json::array();
    for (const Axis& axis : experiment.axes) axes.push_back(axisToJson(axis));
    ordered_json& asked = out["planners"] = ordered_json::array();
    for (const AskedPlanner& planner : experiment.planners) {
        ordered_json entry = {{"label", planner.label},
                              {"planner", writtenPlanner(planner.planner, experiment.directory)}};
        if (!planner.values.empty()) entry["parameters"] = parametersToJson(planner.values);
        if (!planner.policy.empty()) entry["policy"] = planner.policy;
        asked.push_back(std::move(entry));
    }
    out["metrics"] = experiment.metrics;
    ordered_json& claims = out["claims"] = ordered_json::array();
    for (const Claim& claim : experiment.claims) claims.push_back(claimToJson(claim));
    for (const PrintedTable& table : experiment.printed)
        out["printed"].push_back(printedToJson(table, experiment));
    if (experiment.chart) out["chart"] = chartToJson(*experiment.chart);
    return formatJson(out);
}

}  // namespace stagecraft::experiments
