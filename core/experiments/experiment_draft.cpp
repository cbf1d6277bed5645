#include "core/experiments/experiment_draft.h"

#include "core/experiments/grid.h"
#include "core/formats/input_error.h"
#include "core/planners/planner.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>

namespace stagecraft::experiments {

using nlohmann::json;

namespace {

constexpr char freshBase[] = R"({
    "profile": {"generate": "bert-large", "parameters": {"microbatch_size": 6, "gpu": "V100-SXM2-16GB"}},
    "cluster": {"random": {
        "groups": [{"servers": 3, "gpus_per_server": 4, "inside_Gbps": [96, 128], "kind": "pcie"},
                   {"servers": 5, "gpus_per_server": 4, "inside_Gbps": [160, 200], "kind": "nvlink"}],
        "network_Gbps": [32, 40], "gpu": "V100-SXM2-16GB", "seed": 1}},
    "setup": {"microbatches": 32}})";

std::string sentence(const InputError& error) {
    return error.problem() + (error.expected().empty() ? "" : "; expected " + error.expected());
}

/// Every {"file": relative} within becomes absolute.
void makeAbsolute(json& value, const std::filesystem::path& directory) {
    if (value.is_object() && value.contains("file") && value.at("file").is_string())
        value["file"] = std::filesystem::absolute(directory / value.at("file").get<std::string>())
                            .lexically_normal()
                            .string();
    if (value.is_structured())
        for (json& part : value) makeAbsolute(part, directory);
}

bool hasValue(const Axis* axis, const std::string& label) {
    return axis && std::any_of(axis->values.begin(), axis->values.end(),
                               [&](const AxisValue& value) { return value.label == label; });
}

/// Printed numbers of planners and values that are no longer there go: there is no form to mend them in.
void keepPrintedOf(Experiment& experiment) {
    for (PrintedTable& table : experiment.printed) {
        std::erase_if(table.numbers, [&](const PrintedNumber& number) {
            return !experiment.planner(number.planner) ||
                   !hasValue(experiment.axis(table.along), number.value);
        });
        for (const auto& [axis, label] : table.at)
            if (!hasValue(experiment.axis(axis), label)) table.numbers.clear();
    }
    std::erase_if(experiment.printed, [](const PrintedTable& table) { return table.numbers.empty(); });
}

}  // namespace

Experiment freshExperiment() {
    Experiment experiment;
    experiment.name = "New experiment";
    experiment.base = json::parse(freshBase).dump();
    const PlannerDescription& first = allPlanners().front()->description();
    experiment.planners = {{first.title, first.id, {}}};
    experiment.metrics = {"iteration_time_s"};
    return experiment;
}

ExperimentDraft draftOf(Experiment experiment) {
    ExperimentDraft draft;
    const std::vector<VariableField> fields = variableFields(experiment);
    for (const Axis& axis : experiment.axes) draft.axes.push_back(draftOf(axis, fields));
    experiment.axes.clear();
    draft.experiment = std::move(experiment);
    return draft;
}

CheckedDraft checkTexts(const ExperimentDraft& draft) {
    CheckedDraft checked;
    Experiment experiment = draft.experiment;
    if (experiment.name.find_first_not_of(' ') == std::string::npos)
        checked.mistakes.push_back({"/name", {}, "The experiment has no name"});
    if (experiment.planners.empty()) checked.mistakes.push_back({"/planners", {}, "No planner is ticked"});
    double points = 1;
    for (std::size_t i = 0; i < draft.axes.size(); ++i) {
        const std::string place = "/axes/" + std::to_string(i);
        try {
            Axis axis = axisOf(draft.axes[i]);
            if (experiment.axis(axis.name))
                throw AxisMistake(AxisMistake::Part::name, "Another axis is called '" + axis.name + "'");
            points *= static_cast<double>(axis.values.size());
            experiment.axes.push_back(std::move(axis));
        } catch (const AxisMistake& mistake) {
            checked.mistakes.push_back({place, mistake.part(), mistake.what()});
        }
    }
    if (points > 1e6)
        checked.mistakes.push_back({"/axes", {}, "These are more than a million points; leave some out"});
    keepPrintedOf(experiment);
    if (checked.mistakes.empty()) checked.experiment = std::move(experiment);
    return checked;
}

CheckedDraft checkWhole(Experiment experiment) {
    CheckedDraft checked;
    try {
        experiment.base = baseWithTargets(experiment);
        // Reading it as a file finds what does not fit together.
        readExperiment(writeExperiment(experiment), experiment.name, experiment.directory);
        const Grid grid(experiment);
        grid.problem(0);
        for (std::size_t planner = 0; planner < experiment.planners.size(); ++planner)
            grid.parameters(grid.cellOf(0, planner));
    } catch (const InputError& error) {
        checked.mistakes.push_back({error.place(), {}, sentence(error)});
    } catch (const std::exception& error) {
        checked.mistakes.push_back({"/base", {}, error.what()});
    }
    if (checked.mistakes.empty()) checked.experiment = std::move(experiment);
    return checked;
}

CheckedDraft check(const ExperimentDraft& draft) {
    CheckedDraft checked = checkTexts(draft);
    return checked.experiment ? checkWhole(std::move(*checked.experiment)) : checked;
}

void setBase(ExperimentDraft& draft, std::string base) {
    draft.experiment.base = std::move(base);
    const std::vector<VariableField> fields = variableFields(draft.experiment);
    for (AxisDraft& axis : draft.axes) {
        if (axis.ofCases()) continue;
        const auto same = std::find_if(fields.begin(), fields.end(), [&](const VariableField& field) {
            return field.kind == axis.field.kind && field.value.label == axis.field.value.label &&
                   field.groups.front() == axis.field.groups.front();
        });
        if (same != fields.end()) axis.field = *same;
    }
}

void renameAxis(ExperimentDraft& draft, std::size_t axis, const std::string& name) {
    const std::string before = draft.axes[axis].name;
    draft.axes[axis].name = name;
    for (Claim& claim : draft.experiment.claims) {
        if (claim.along == before) claim.along = name;
        for (AxisFilter& filter : claim.where)
            if (filter.axis == before) filter.axis = name;
    }
    for (PrintedTable& table : draft.experiment.printed) {
        if (table.along == before) table.along = name;
        if (auto fixed = table.at.extract(before)) {
            fixed.key() = name;
            table.at.insert(std::move(fixed));
        }
    }
}

void renamePlanner(ExperimentDraft& draft, std::size_t planner, const std::string& label) {
    const std::string before = draft.experiment.planners[planner].label;
    draft.experiment.planners[planner].label = label;
    for (Claim& claim : draft.experiment.claims) {
        if (claim.planner == before) claim.planner = label;
        std::replace(claim.against.begin(), claim.against.end(), before, label);
    }
    for (PrintedTable& table : draft.experiment.printed)
        for (PrintedNumber& number : table.numbers)
            if (number.planner == before) number.planner = label;
    const std::string prefix = "/planners/" + before + "/";
    const auto follow = [&](std::string& pointer) {
        if (pointer.starts_with(prefix)) pointer = "/planners/" + label + "/" + pointer.substr(prefix.size());
    };
    for (AxisDraft& axis : draft.axes) {
        for (std::string& pointer : axis.field.pointers) follow(pointer);
        for (AxisValue& value : axis.cases)
            for (Change& change : value.changes) follow(change.pointer);
    }
}

std::string freshAxisName(const ExperimentDraft& draft, const std::string& wanted) {
    const auto taken = [&](const std::string& name) {
        return std::any_of(draft.axes.begin(), draft.axes.end(),
                           [&](const AxisDraft& axis) { return axis.name == name; });
    };
    if (!taken(wanted)) return wanted;
    for (int number = 2;; ++number)
        if (std::string name = wanted + " " + std::to_string(number); !taken(name)) return name;
}

Experiment movedTo(Experiment experiment, const std::filesystem::path& directory) {
    if (experiment.directory == directory) return experiment;
    json base = json::parse(experiment.base);
    makeAbsolute(base, experiment.directory);
    experiment.base = base.dump();
    for (Axis& axis : experiment.axes)
        for (AxisValue& value : axis.values)
            for (Change& change : value.changes) {
                json written = json::parse(change.json);
                makeAbsolute(written, experiment.directory);
                change.json = written.dump();
            }
    experiment.directory = directory;
    return experiment;
}

}  // namespace stagecraft::experiments
