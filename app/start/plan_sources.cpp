#include "app/start/plan_sources.h"

#include "app/profile/model_questions.h"
#include "core/editing/choice_label.h"
#include "core/formats/files/import.h"
#include "core/formats/profiles/csv_profile.h"
#include "core/formats/profiles/efficiency_file.h"
#include "core/generation/asked_machines.h"
#include "core/generation/generated_profile.h"
#include "core/generation/template_catalogue.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace stagecraft::app::start {
namespace {

constexpr const char* copiesOption = "copies";

QString named(const std::string& name, const QString& path) {
    const QString file = QFileInfo(path).fileName();
    return name.empty() ? file : QStringLiteral("%1 (%2)").arg(QString::fromStdString(name), file);
}

ModelSource sourceOf(const LayerProfile& profile, const QString& path) {
    return {named(profile.name, path), path, {}, [profile](const ParameterValues&) { return profile; }};
}

ModelSource sourceOf(const ModelQuestions& asked, const QString& path) {
    return {named(asked.title, path), path, asked.parameters,
            [asked](const ParameterValues& answers) { return asked.read(answers).profile; }};
}

MachineSource sourceOf(const Cluster& cluster, const QString& path) {
    return {named(cluster.name, path), path, {}, {}, [cluster](const ParameterValues&) { return cluster; }};
}

MachineSource sourceOf(const OpenedTopology& opened, const QString& path) {
    MachineSource source{named(opened.imported.cluster.name, path), path, opened.questions, {}, {}};
    for (const Parameter& question : opened.questions)
        if (question.name == copiesOption) source.count = copiesOption;
    source.make = [texts = opened.texts](const ParameterValues& answers) {
        return importClusters(*texts, importOptions(answers)).cluster;
    };
    return source;
}

/// With what the configuration says in the place of defaults.
std::vector<Parameter> withDefaults(std::vector<Parameter> parameters, const Configuration& configuration) {
    ParameterValues values = configuration.run;
    if (!configuration.precision.empty()) values["precision"] = configuration.precision;
    for (Parameter& parameter : parameters)
        if (const auto value = values.find(parameter.name); value != values.end())
            parameter.defaultValue = value->second;
    return parameters;
}

/// That its comment names; nothing where it names none that are known.
std::optional<MachineSource> machinesOf(const Configuration& configuration) {
    if (configuration.machines.empty()) return std::nullopt;
    try {
        const AskedMachines asked = machinesAsked(configuration.machines);
        const Parameter* number = countParameterOf(*asked.kind);
        MachineSource source{QString::fromStdString(configuration.machines),
                             QString::fromStdString(asked.kind->id + ": " + asked.kind->description),
                             asked.kind->parameters, number ? number->name : std::string(), asked.kind->make};
        for (Parameter& parameter : source.parameters)
            if (asked.count > 0 && parameter.name == source.count) parameter.defaultValue = asked.count;
        source.isNumbered = true;
        return source;
    } catch (const std::invalid_argument&) {
        return std::nullopt;
    }
}

/// The model of a configuration; none where another has to be named. And its machines.
PlanSources sourcesOf(const Configuration& configuration, const QString& path) {
    PlanSources sources;
    sources.machines = machinesOf(configuration);
    if (configuration.model)
        sources.model = ModelSource{named(configuration.model->model.title, path), path,
                                    withDefaults(describedParameters(*configuration.model), configuration),
                                    [model = *configuration.model](const ParameterValues& values) {
                                        return describedProfile(model, values, readEfficiencyFile);
                                    }};
    else if (!configuration.modelName.empty())
        sources.model = ModelSource{named(modelNamed(configuration.modelName).title, path), path,
                                    withDefaults(profileParameters(configuration.modelName), configuration),
                                    [name = configuration.modelName](const ParameterValues& values) {
                                        return generatedProfile(name, values, readEfficiencyFile);
                                    }};
    return sources;
}

PlanSources sourcesOf(const Problem& problem, const QString& path) {
    PlanSources sources;
    if (!problem.profile.layers.empty()) sources.model = sourceOf(problem.profile, path);
    if (!problem.cluster.devices.empty()) sources.machines = sourceOf(problem.cluster, path);
    if (!sources.model && !sources.machines)
        sources.error =
            QCoreApplication::translate("PlanSources", "%1 has neither layers nor GPUs").arg(path);
    return sources;
}

/// A table of layers, with its columns as their headers say.
PlanSources sourcesOf(const OpenedTable& table, const QString& path) {
    try {
        return {sourceOf(readProfileCsv(table.text, path.toStdString()).profile, path), {}, {}};
    } catch (const std::exception& error) {
        return {{}, {}, QString::fromUtf8(error.what())};
    }
}

}  // namespace

std::vector<ModelSource> zooModels() {
    std::vector<ModelSource> sources;
    for (const ModelDescription& model : modelZoo()) {
        const std::string title = model.title.empty() ? choiceLabel(model.name) : model.title;
        sources.push_back({QString::fromStdString(title),
                           QString::fromStdString(model.name + ": " + model.summary),
                           profileParameters(model.name), [name = model.name](const ParameterValues& values) {
                               return generatedProfile(name, values, readEfficiencyFile);
                           }});
    }
    return sources;
}

std::vector<MachineSource> templateMachines() {
    std::vector<MachineSource> sources;
    for (const ClusterTemplate& kind : clusterTemplates()) {
        const Parameter* number = countParameterOf(kind);
        sources.push_back({QString::fromStdString(kind.title),
                           QString::fromStdString(kind.id + ": " + kind.description), kind.parameters,
                           number ? number->name : std::string(), kind.make});
    }
    return sources;
}

PlanSources planSourcesOf(const QString& path, const OpenedDocument& document) {
    if (const auto* failure = std::get_if<OpenFailure>(&document)) return {{}, {}, failure->message};
    if (const auto* project = std::get_if<Project>(&document)) return sourcesOf(project->problem, path);
    if (const auto* plan = std::get_if<PlanFile>(&document)) return sourcesOf(plan->problem, path);
    if (const auto* read = std::get_if<ImportedProfile>(&document))
        return {sourceOf(read->profile, path), {}, {}};
    if (const auto* table = std::get_if<OpenedTable>(&document)) return sourcesOf(*table, path);
    if (const auto* onnx = std::get_if<OpenedOnnx>(&document))
        return {sourceOf(questionsAbout(*onnx, path.toStdString()), path), {}, {}};
    if (const auto* model = std::get_if<OpenedModel>(&document))
        return {sourceOf(questionsAbout(*model, path.toStdString()), path), {}, {}};
    if (const auto* configured = std::get_if<OpenedConfiguration>(&document))
        return sourcesOf(*configured->configuration, path);
    if (const auto* cluster = std::get_if<Cluster>(&document)) return {{}, sourceOf(*cluster, path), {}};
    if (const auto* topology = std::get_if<OpenedTopology>(&document))
        return {{}, sourceOf(*topology, path), {}};
    return {{},
            {},
            QCoreApplication::translate("PlanSources",
                                        "%1 is neither a model nor machines; expected a config.json, an ONNX "
                                        "model, a profile, a cluster, a topology or a project")
                .arg(path)};
}

}  // namespace stagecraft::app::start
