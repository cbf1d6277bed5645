#include "app/panels/cluster_import.h"
#include "app/panels/cluster_side.h"
#include "app/panels/template_dialog.h"
#include "app/shell/main_window.h"
#include "app/shell/workbench.h"
#include "views/topology/cluster_editor.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_view.h"

namespace stagecraft {
namespace {

constexpr int sideWidth = 316;
constexpr double templateGap = 60;  // scene units between what is there and what is inserted

}  // namespace

void MainWindow::makeClusterSide() {
    TopologyView* topology = workbench_->topology();
    clusterSide_ = new ClusterSide(workspace_, topology->takeLegend());
    import_ = new ClusterImport(workspace_, *clusterSide_->import(), this);
    clusterSide_->setMinimumWidth(sideWidth);
    topology->addBeside(clusterSide_);

    connect(topology, &TopologyView::selectionChanged, clusterSide_, &ClusterSide::setSelection);
    connect(topology, &TopologyView::detailsWanted, this, [this] {
        clusterSide_->show();
        clusterSide_->editDetails();
    });
    connect(topology, &TopologyView::templatesWanted, this, &MainWindow::insertTemplate);
    connect(clusterSide_, &ClusterSide::overlayChanged, topology->canvas(), &TopologyCanvas::setOverlay);
    connect(clusterSide_, &ClusterSide::deviceHovered, topology, &TopologyView::hoverDevice);
    connect(workbench_, &Workbench::planShown, this, &MainWindow::showClusterSide);
    connect(&workspace_, &Workspace::plansChanged, this, &MainWindow::showClusterSide);
    connect(&workspace_, &Workspace::runChanged, this, &MainWindow::showClusterSide);
    connect(&workspace_, &Workspace::problemChanged, this, &MainWindow::updateActions);
    actions_.add({"view.inspector", "&View", tr("&Inspector of the cluster"), QKeySequence(tr("Ctrl+I"))},
                 [this] {
                     const bool seen = clusterSide_->isVisible();
                     workbench_->showCluster();
                     clusterSide_->setVisible(!seen);
                 });
    actions_.add(
        {"cluster.template", "&Cluster", tr("Insert from &template…"), QKeySequence(tr("Ctrl+T")), "", true},
        [this] { insertTemplate(); });
}

void MainWindow::showClusterSide() {
    const PlanItem* item = workbench_->planInView();
    if (workbench_->currentKey() == QLatin1String("cluster"))
        clusterSide_->setRun(item ? item->run : nullptr);
}

void MainWindow::insertTemplate() {
    TemplateDialog dialog(this);
    if (dialog.exec() != QDialog::Accepted || !dialog.cluster()) return;
    if (!workspace_.isOpen()) newProject();
    workbench_->showCluster();
    const Cluster& made = *dialog.cluster();
    const Cluster& before = workspace_.problem().cluster;
    const QString text = tr("Insert %1").arg(QString::fromStdString(dialog.chosen().title));
    TopologyView* topology = workbench_->topology();
    if (before.devices.empty() && before.switches.empty()) {
        workspace_.editCluster(made, text);
        topology->fit();
        return;
    }
    const QRectF there = topology->scene().layout().bounds;
    const QRectF added = TopologyScene(made, nullptr).layout().bounds;
    topology->editor()->insert(
        made, {there.left() + added.width() / 2, there.bottom() + templateGap + added.height() / 2}, text);
    topology->showSelection(topology->selection());
}

}  // namespace stagecraft
