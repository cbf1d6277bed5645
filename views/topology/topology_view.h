#pragma once

#include "core/planners/plan_run.h"
#include "views/topology/cluster_selection.h"

#include <QWidget>

#include <memory>

class QListWidget;
class QListWidgetItem;

namespace stagecraft {

class TopologyCanvas;
class TopologyScene;

/// The cluster drawn as servers with GPUs, switches and links, coloured by stage once there is a plan, and a
/// list of the stages beside it. Shows and never changes the cluster.
class TopologyView : public QWidget {
    Q_OBJECT
public:
    explicit TopologyView(QWidget* parent = nullptr);

    /// Shows another cluster, without a run.
    void setCluster(const Cluster& cluster);
    /// Colours by the run's stages and adds its metrics to the read-outs; nullptr clears. The run is one of
    /// the cluster shown: device indices beyond it are ignored.
    void setRun(std::shared_ptr<const PlanRun> run);

    TopologyCanvas* canvas() const { return canvas_; }
    const TopologyScene& scene() const { return *scene_; }
    int selectedDevice() const;
    const ClusterSelection& selection() const { return selection_; }

public slots:
    void selectDevice(int device);  ///< -1: none
    void hoverDevice(int device);   ///< highlights what another view points at; -1: none
    void fit();
    /// Chooses what is in the cluster shown; emits selectionChanged if that is a change.
    void setSelection(const ClusterSelection& selection);
    /// The same, and moves it into view.
    void showSelection(const ClusterSelection& selection);

signals:
    void selectionChanged(const ClusterSelection& selection);
    /// A person asks for this cluster in place of the one shown; `text` is the name of the step, and edits in a
    /// row with the same mergeKey (if any) are to be one step.
    void clusterEdited(const Cluster& after, const QString& text, const QString& mergeKey);
    void deviceHovered(int device);   ///< -1: none
    void deviceSelected(int device);  ///< -1: none

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fillLegend();
    void emphasise(const QListWidgetItem* pointedAt);

    std::shared_ptr<TopologyScene> scene_;
    TopologyCanvas* canvas_;
    QListWidget* legend_;
    ClusterSelection selection_;
};

}  // namespace stagecraft
