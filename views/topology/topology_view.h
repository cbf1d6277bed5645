#pragma once

#include "core/runs/plan_run.h"
#include "views/topology/canvas_tool.h"
#include "views/topology/cluster_selection.h"
#include "views/topology/server_groups.h"

#include <QWidget>

#include <memory>

class QListWidget;
class QListWidgetItem;
class QSplitter;

namespace stagecraft::views::topology {

class ClusterEditor;
class ClusterPalette;
class TopologyCanvas;
class TopologyScene;

/// The cluster drawn as servers with GPUs, switches and links, coloured by stage once there is a plan, and a
/// list of the stages beside it. Never changes the cluster: what a person draws is asked for by a signal, and
/// updateCluster() answers.
class TopologyView : public QWidget {
    Q_OBJECT
public:
    explicit TopologyView(QWidget* parent = nullptr);

    /// Shows another cluster, without a run.
    void setCluster(const Cluster& cluster);
    /// The same cluster after an edit: view and selection stay, and so does the run until setRun.
    void updateCluster(const Cluster& cluster);
    /// With the palette, and all that edits; at first one can only look.
    void makeEditable();
    /// The list of stages, for a place of its own beside the canvas.
    QWidget* takeLegend();
    /// What is made as its child stands to the right of the canvas and shares the width with it. To be asked
    /// for once.
    QSplitter& roomBeside();
    /// nullptr unless it is editable.
    ClusterEditor* editor() const { return editor_; }
    /// Colours by the run's stages and adds its metrics to the read-outs; nullptr clears. The run is one of
    /// the cluster shown: device indices beyond it are ignored.
    void setRun(std::shared_ptr<const PlanRun> run);

    TopologyCanvas* canvas() const { return canvas_; }
    const TopologyScene& scene() const { return *scene_; }
    int selectedDevice() const;
    const ClusterSelection& selection() const;

public slots:
    void selectDevice(int device);  ///< -1: none
    void hoverDevice(int device);   ///< highlights what another view points at; -1: none
    void fit();
    /// Chooses what is in the cluster shown; emits selectionChanged if that is a change.
    void setSelection(const ClusterSelection& selection);
    /// The same, and moves it into view; what is in a box for many is opened.
    void showSelection(const ClusterSelection& selection);
    /// Draws a large cluster folded, or all of it.
    void setFolding(const FoldChoice& choice);
    /// One of the box for many that is selected by itself, or folds it again.
    void toggleFolded();
    /// Asks how often to duplicate what is chosen, then does.
    void duplicateTimes();
    /// Asks for a name, selects what has it and zooms to it.
    void find();
    /// Asks for a machine by its name, or what a rack is of and how many; it is then placed at that point of
    /// the scene or by the next clicks.
    void chooseMachine(PalettePart part, std::optional<QPointF> dropped);

signals:
    void templatesWanted();
    /// The menu for what is chosen.
    void menuWanted(const QPoint& globalPosition);
    /// A person wants to edit the numbers of what is chosen.
    void detailsWanted();
    /// Text was pasted that is no cluster file; it may be one of another format.
    void otherTextPasted(const QString& text);
    void selectionChanged(const ClusterSelection& selection);
    /// A sentence on what an edit did.
    void said(const QString& text);
    /// A person asks for this cluster instead of the one shown; `text` is the name of the step, and edits in
    /// a row with the same mergeKey (if any) are to be one step.
    void clusterEdited(const Cluster& after, const QString& text, const QString& mergeKey);
    void deviceHovered(int device);   ///< -1: none
    void deviceSelected(int device);  ///< -1: none

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void revealSelection();
    void toggleServer(const QString& server);
    void rebuild(std::set<std::string> openServers, const FoldChoice& choice);
    void openFor(const ClusterSelection& selection);
    void fillLegend();
    void emphasise(const QListWidgetItem* pointedAt);

    std::shared_ptr<TopologyScene> scene_;
    TopologyCanvas* canvas_;
    QListWidget* legend_;
    ClusterEditor* editor_ = nullptr;
    ClusterPalette* palette_ = nullptr;
};

}  // namespace stagecraft::views::topology
