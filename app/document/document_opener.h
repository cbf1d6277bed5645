#pragma once

#include "app/rooms.h"
#include "core/formats/configurations/configuration.h"
#include "core/formats/files/project_file.h"
#include "core/formats/profiles/described_model.h"
#include "core/formats/topology/import.h"
#include "core/onnx/onnx_profile.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <variant>

namespace stagecraft::experiments {
struct ExperimentResults;
}  // namespace stagecraft::experiments

namespace stagecraft::app::document {

/// A file that cannot be opened, in the words of the command line.
struct OpenFailure {
    QString file;
    QString place;    ///< JSON pointer or line; may be empty
    QString message;  ///< all of it: file, place, what is wrong, what was expected
};

/// Topologies of one cluster, what was made of them, and what may be asked about them.
struct OpenedTopology {
    std::shared_ptr<const std::vector<TopologyText>> texts;
    ImportedCluster imported;
    std::vector<Parameter> questions;
};

/// A table of layers, whose columns a person has yet to confirm.
struct OpenedTable {
    std::string text;
};

/// A model without times, and the sizes that it leaves open.
struct OpenedOnnx {
    std::shared_ptr<const std::string> bytes;
    std::vector<OpenDimension> open;
};

/// A transformer that a file describes, and nothing of how it is trained.
struct OpenedModel {
    std::shared_ptr<const ModelFile> file;
};

/// How a person trains a model: arguments or a file of the program that does it.
struct OpenedConfiguration {
    std::shared_ptr<const Configuration> configuration;
};

/// An experiment, with nothing run where the file has no results.
struct OpenedExperiment {
    std::shared_ptr<const ExperimentResults> results;
};

/// An order of passes, for the layers and devices of a project.
struct OpenedOrder {
    std::string text;
};

/// What a program measured, for the links of the open cluster.
struct OpenedMeasurements {
    std::string text;
};

using OpenedDocument = std::variant<OpenFailure, Project, PlanFile, ImportedProfile, Cluster, OpenedTopology,
                                    OpenedTable, OpenedOnnx, OpenedModel, OpenedConfiguration,
                                    OpenedExperiment, OpenedOrder, OpenedMeasurements>;

/// The error that is being handled, about a file.
OpenFailure failureOf(const QString& path);

/// Reads any supported file. What it holds is detected from its content; one whose content says nothing (cut
/// short, not JSON) gets the error of the format that its name promises.
OpenedDocument readDocument(const QString& path);
/// Reads topologies that are the servers of one cluster.
OpenedDocument readTopologies(std::vector<TopologyText> texts);

/// readDocument away from the GUI thread.
class DocumentOpener : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;
    /// Several topologies are opened as one cluster, several files of one measurement as one profile,
    /// everything else by itself.
    void open(const QStringList& paths);
    /// Text that is in no file: a configuration, or a topology as a terminal printed it.
    void openText(const QString& text, const QString& name);
    /// A text that says of itself what it was measured on, and could be a cluster too, is measurements here.
    void openMeasurements(const QString& path);

signals:
    void opened(QString path, const OpenedDocument& document);

private:
    void read(const QString& path, std::function<OpenedDocument()> reading);
};

}  // namespace stagecraft::app::document
