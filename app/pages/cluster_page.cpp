#include "app/pages/cluster_page.h"

#include "app/panels/empty_panel.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_view.h"

#include <QVBoxLayout>

namespace stagecraft::app::pages {

ClusterPage::ClusterPage(Workspace& workspace, QWidget* parent)
    : Page({QStringLiteral("cluster"), "cluster", tr("Cluster"), tr("&Cluster"), 1}, parent),
      workspace_(workspace),
      topology_(new TopologyView),
      empty_(new EmptyPanel(tr("Draw a cluster"),
                            tr("Begin with a template, or take servers, GPUs and switches from the palette "
                               "on the left: click one and then the canvas, or drag it here. Or open a "
                               "cluster file, or drop one here."),
                            tr("Template…"), tr("Open cluster…"))) {
    topology_->makeEditable();
    empty_->setObjectName(QStringLiteral("emptyCluster"));
    connect(empty_, &EmptyPanel::accepted, topology_, &TopologyView::templatesWanted);
    connect(empty_, &EmptyPanel::otherAccepted, this,
            [this] { emit actionRequested(QStringLiteral("cluster.replace")); });
    connect(topology_->canvas(), &TopologyCanvas::toolChanged, this, &ClusterPage::showEmpty);
    connect(topology_, &TopologyView::clusterEdited, &workspace_, &Workspace::editCluster);
    auto* onCanvas = new QVBoxLayout(topology_->canvas());
    onCanvas->addWidget(empty_, 0, Qt::AlignCenter);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(topology_);
    setFocusProxy(topology_);
}

void ClusterPage::problemChanged(unsigned parts) { stale_ = stale_ || (parts & drawingPart); }

void ClusterPage::bringUpToDate(const PlanItem* plan) {
    const Cluster& cluster = workspace_.problem().cluster;
    if (replaced_)
        topology_->setCluster(cluster);
    else if (stale_)
        topology_->updateCluster(cluster);
    stale_ = replaced_ = false;
    showEmpty();
    topology_->setRun(plan ? plan->okRun() : nullptr);
}

std::vector<FigureSource> ClusterPage::figures(const PlanItem* plan) const {
    const auto problem = workspace_.sharedProblem();
    const std::shared_ptr<const Cluster> cluster(problem, &problem->cluster);
    return {clusterSource(cluster, plan ? plan->okRun() : nullptr, topology_->scene().folding()),
            bandwidthSource(cluster)};
}

bool ClusterPage::hasFigures() const { return !workspace_.problem().cluster.devices.empty(); }

QImage ClusterPage::picture() { return topology_->canvas()->grab().toImage(); }

void ClusterPage::showEmpty() {
    const Cluster& cluster = workspace_.problem().cluster;
    empty_->setVisible(cluster.devices.empty() && cluster.switches.empty() &&
                       !topology_->canvas()->placing());
}

}  // namespace stagecraft::app::pages
