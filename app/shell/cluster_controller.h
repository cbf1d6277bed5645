#pragma once

#include "app/document/document_opener.h"
#include "app/shell/workbench.h"

namespace stagecraft::app::actions {
class ActionRegister;
}
namespace stagecraft::app::panels {
class ClusterImport;
class ClusterSide;
}  // namespace stagecraft::app::panels

namespace stagecraft::app::shell {

/// What is beside the drawing of the cluster, and what brings whole clusters into it: imported topologies
/// and templates.
class ClusterController : public QObject {
    Q_OBJECT

public:
    ClusterController(ActionRegister& actions, Workspace& workspace, Workbench& workbench, QWidget* window);

    ClusterSide& side() { return *side_; }
    /// Makes it the open project's cluster.
    void take(const OpenedTopology& opened);
    /// Puts measurements beside the rates of its links. The two GPUs or servers that are selected are the
    /// ends of a text that names none.
    void take(const OpenedMeasurements& opened, const QString& path);

signals:
    /// Nothing is open: a new project is to be, where a person lets go of nothing by it.
    void projectWanted();
    /// Measurements have been worked in, or refused.
    void measured(QString path);
    void failed(const OpenFailure& failure);

private:
    void showRun();
    std::vector<std::string> selectedEnds() const;
    void explainBandwidths();
    void showReasons();
    void changeLink(int link);
    void insertTemplate();

    Workspace& workspace_;
    Workbench& workbench_;
    QWidget* window_;
    ClusterSide* side_;
    ClusterImport* import_;
    int narrowestOfCell_ = -1, narrowestOfPair_ = -1;  ///< links that limit what is explained
};

}  // namespace stagecraft::app::shell
