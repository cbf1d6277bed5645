#pragma once

#include "app/rooms.h"
#include "core/formats/configurations/configuration.h"
#include "core/formats/files/project_file.h"
#include "core/formats/profiles/described_model.h"
#include "core/formats/topology/import.h"
#include "core/onnx/onnx_profile.h"
#include "core/runs/shown_run.h"

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

/// A run that was recorded.
struct OpenedRecording {
    QStringList files;  ///< absolute
    std::shared_ptr<const RecordedRun> recorded;
    /// What it shows of a plan, to stand beside it where no project is open; null: nothing.
    std::shared_ptr<const Project> proposed{};
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
                                    OpenedExperiment, OpenedOrder, OpenedMeasurements, OpenedRecording>;

/// The error that is being handled, about a file.
OpenFailure failureOf(const QString& path);

/// Reads any supported file. What it holds is detected from its content; one whose content says nothing (cut
/// short, not JSON) gets the error of the format that its name promises.
OpenedDocument readDocument(const QString& path);
/// Files of a run that was recorded, or a folder with them. @throws Cancelled
OpenedDocument readRecordingOf(const QStringList& paths, const WorkContext& context = {});
/// Reads topologies that are the servers of one cluster.
OpenedDocument readTopologies(std::vector<TopologyText> texts);

/// readDocument away from the GUI thread.
class DocumentOpener : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;
    /// Several topologies are opened as one cluster, several files of one measurement as one profile,
    /// those of a recording as that, everything else by itself.
    void open(const QStringList& paths);
    /// Text that is in no file: a configuration, or a topology as a terminal printed it.
    void openText(const QString& text, const QString& name);
    /// A text that says of itself what it was measured on, and could be a cluster too, is measurements here.
    void openMeasurements(const QString& path);
    /// What is being read is not opened.
    void cancel();

signals:
    void opened(QString path, const OpenedDocument& document);
    /// Of a recording, 0 to 1; until opened() or cancelled().
    void progressed(QString path, double fraction);
    void cancelled(QString path);

private:
    void read(const QString& path, std::function<OpenedDocument(const WorkContext&)> reading);
};

}  // namespace stagecraft::app::document
