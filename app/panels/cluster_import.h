#pragma once

#include "app/document/document_opener.h"
#include "app/document/workspace.h"
#include "core/formats/measurements/measured_cluster.h"
#include "views/common/job.h"

#include <QObject>

class QUndoCommand;

namespace stagecraft::app::panels {

class ImportReport;

/// The topologies that were imported into the open document: the one that its cluster now comes from is read
/// again, away from the GUI thread, whenever a person answers what its text does not say. The import and its
/// answers in a row are one undo step. Where the cluster was edited since, answers work beneath the edits;
/// where it was replaced, or the import was undone, they change nothing. After undo and redo the report shows
/// what then holds.
class ClusterImport : public QObject {
    Q_OBJECT

public:
    ClusterImport(Workspace& workspace, ImportReport& report, QObject* parent = nullptr);
    /// Makes it the open document's cluster.
    void begin(const OpenedTopology& opened);
    /// Puts measurements onto the open document's cluster, away from the GUI thread.
    /// @param between the ends of a text that names none: ids of devices or servers; empty: not said
    void measure(const OpenedMeasurements& opened, const QString& path,
                 const std::vector<std::string>& between);

signals:
    /// An answer has been worked in, or refused.
    void updated();
    /// Measurements have been worked in; if not, failed() came before.
    void measured(QString path, bool isDone);
    void failed(const OpenFailure& failure);

private:
    /// What a step of the undo stack put in place.
    struct Step {
        int import = 0;
        QString title, text;
        std::shared_ptr<const std::vector<TopologyText>> texts;
        std::vector<Parameter> questions;
        ParameterValues answers;  ///< what a person said, and nothing else
        ImportedCluster imported;
        int index = 0;  ///< of the undo stack after it
        const QUndoCommand* command = nullptr;
    };

    void forget();
    void readAgain();
    void take(const ImportedCluster& imported, const ParameterValues& answers);
    void takeMeasured(const MeasuredCluster& measured, const QString& path);
    void put(Step step, const Cluster& cluster);
    /// The last one that is in place; nullptr: none.
    const Step* current() const;
    /// Why answers would change nothing; empty if they would.
    QString whyIdle() const;
    void followUndo();
    void show();

    Workspace& workspace_;
    ImportReport& report_;
    std::vector<Step> steps_;  ///< ascending by index; those after the stack's own index are undone
    int imports_ = 0;
    Job reading_;    ///< its cluster again
    Job measuring_;  ///< works measurements in
    bool putting_ = false;
};

}  // namespace stagecraft::app::panels
