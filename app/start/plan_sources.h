#pragma once

#include "app/document/document_opener.h"
#include "core/generation/cluster_template.h"
#include "core/model/cluster.h"
#include "core/model/layer_profile.h"

#include <QString>

#include <functional>
#include <optional>
#include <vector>

namespace stagecraft::app::start {

/// A model that can be planned: of the zoo, or of a file.
struct ModelSource {
    QString title, tip;
    std::vector<Parameter> parameters;  ///< none: a profile as it is
    /// @throws what its reader or generator throws, with a sentence
    std::function<LayerProfile(const ParameterValues& values)> make;
};

/// Machines to plan it on: a template, or what a file or the clipboard says.
struct MachineSource {
    QString title, tip;
    std::vector<Parameter> parameters;  ///< none: a cluster as it is
    std::string count;                  ///< the parameter that says how many of them; empty: there is none
    /// @throws what its reader or template throws, with a sentence
    std::function<Cluster(const ParameterValues& values)> make;
    bool isNumbered = false;  ///< somebody says how many: a configuration's comment
};

std::vector<ModelSource> zooModels();
std::vector<MachineSource> templateMachines();

/// What a document has for a plan: one of the two, or both where it is a project.
struct PlanSources {
    std::optional<ModelSource> model;
    std::optional<MachineSource> machines;
    QString error;  ///< why it has neither; else empty
};
PlanSources planSourcesOf(const QString& path, const OpenedDocument& document);

}  // namespace stagecraft::app::start
