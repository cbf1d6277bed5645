#pragma once

#include "app/document/workspace.h"
#include "views/topology/topology_overlay.h"

#include <QTabWidget>

class QCheckBox;
class QLabel;
class QProgressBar;

namespace stagecraft::views::interconnect {
class BandwidthView;
class CutTree;
class InterconnectJob;
class TrafficView;
}  // namespace stagecraft::views::interconnect

namespace stagecraft::app::panels {

class ClusterInspector;
class ImportReport;

/// Beside the cluster: the inspector, and what a planner sees of the cluster. What the views point at becomes
/// an overlay for the canvas.
class ClusterSide : public QTabWidget {
    Q_OBJECT
public:
    /// @param stages the list of the plan's stages, which it takes over
    ClusterSide(Workspace& workspace, QWidget* stages, QWidget* parent = nullptr);

    void setSelection(const ClusterPart& selection);
    /// The run whose traffic is shown; nullptr: none.
    void setRun(std::shared_ptr<const PlanRun> run);
    /// Shows the inspector and puts the cursor into its most likely field.
    void editDetails();
    /// The report on the last import, which has a tab from now on.
    void showImport();

    ClusterInspector* inspector() const { return inspector_; }
    BandwidthView* bandwidths() const { return bandwidths_; }
    CutTree* cuts() const { return cuts_; }
    TrafficView* traffic() const { return traffic_; }
    ImportReport* import() const { return import_; }
    InterconnectJob* job() const { return job_; }
    const TopologyOverlay& overlay() const { return overlay_; }

signals:
    void overlayChanged(const TopologyOverlay& overlay);
    void deviceHovered(int device);  ///< -1: none

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void connectJob();
    void connectViews();
    QWidget* makeCutsPage(QWidget* stack);
    void takeCluster();
    void requestShownData();
    void updateOverlay();
    void addPair();
    void addFork();
    void showCutsNote();

    Workspace& workspace_;
    InterconnectJob* job_;
    ClusterInspector* inspector_ = nullptr;
    BandwidthView* bandwidths_ = nullptr;
    CutTree* cuts_ = nullptr;
    TrafficView* traffic_ = nullptr;
    ImportReport* import_ = nullptr;
    QWidget* cutsPage_ = nullptr;
    QCheckBox* drawOrder_ = nullptr;
    QLabel* cutsNote_ = nullptr;
    QProgressBar* cutsProgress_ = nullptr;
    TopologyOverlay overlay_;
};

}  // namespace stagecraft::app::panels
