#pragma once

#include "app/document/document_opener.h"
#include "app/shell/file_controller.h"

namespace stagecraft::app::experiments {
class ExperimentsActions;
}

namespace stagecraft::app::shell {

class ClusterController;
class ProfileIntake;
class Workbench;

/// Opens files of any kind, and gives what they hold its place: in the open project, as a project of its own,
/// or among the experiments.
class DocumentIntake : public QObject {
    Q_OBJECT

public:
    /// Where a file goes that is no project.
    struct Places {
        ProfileIntake& profiles;
        ClusterController& clusters;
        ExperimentsActions& experiments;
    };
    DocumentIntake(WindowDocument& document, Workbench& workbench, FileController& files, Places places,
                   QWidget* window);

    /// Several at once; topologies among themselves become the servers of one cluster.
    void openFiles(const QStringList& paths);
    /// Asks for files first.
    void choose(const QString& title, const QString& filter);
    void importClipboard();
    /// Asks for a file of measurements first.
    void chooseMeasurements();
    /// What is being read is not opened.
    void cancel() { opener_.cancel(); }
    /// Asks for the folder of a recording first, with a file for each rank.
    void chooseFolder();

signals:
    /// A file that was opened, well or not, has been dealt with.
    void done(QString path);
    void failed(const OpenFailure& failure);
    /// A file could be read: what was said of another one is past.
    void taken();
    /// A recording is read that takes its time, 0 to 1; until done().
    void progressed(QString path, double fraction);
    /// Experiments have a window of their own; nothing changes in this one.
    void experimentOpened();
    /// It is planned on machines that a person has yet to choose.
    void configurationOpened(const QString& path, const OpenedDocument& document);

private:
    /// Where dialogues begin.
    QString folder() const;
    void take(const QString& path, const OpenedDocument& document);
    void takePlan(const PlanFile& file);
    void takeOrder(const OpenedOrder& order, const QString& path);
    void takeRecording(const OpenedRecording& opened);
    void takeCluster(const Cluster& cluster);
    void takeTopology(const OpenedTopology& opened);
    /// done() follows once the cluster has them.
    void takeMeasurements(const OpenedMeasurements& opened, const QString& path);

    Workspace& workspace_;
    ProblemsModel& problems_;
    Workbench& workbench_;
    FileController& files_;
    Places places_;
    QWidget* window_;
    DocumentOpener opener_;
};

}  // namespace stagecraft::app::shell
