#include "app/shell/cluster_controller.h"

#include "app/actions/action_register.h"
#include "app/panels/bandwidth_reason.h"
#include "app/panels/cluster_import.h"
#include "app/panels/cluster_inspector.h"
#include "app/panels/cluster_side.h"
#include "app/panels/template_dialog.h"
#include "app/shell/window_parts.h"
#include "views/interconnect/bandwidth_view.h"
#include "views/interconnect/interconnect_job.h"
#include "views/topology/cluster_editor.h"
#include "views/topology/scene_folding.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_view.h"

#include <QMainWindow>
#include <QSplitter>
#include <QStatusBar>

namespace stagecraft::app::shell {
namespace {

constexpr int sideWidth = 316;
constexpr double templateGap = 60;  // scene units between what is there and what is inserted

}  // namespace

ClusterController::ClusterController(ActionRegister& actions, Workspace& workspace, Workbench& workbench,
                                     QWidget* window)
    : QObject(window),
      workspace_(workspace),
      workbench_(workbench),
      window_(window),
      side_(new ClusterSide(workspace, workbench.topology()->takeLegend(),
                            &workbench.topology()->roomBeside())),
      import_(new ClusterImport(workspace, *side_->import(), this)) {
    TopologyView* topology = workbench_.topology();
    connect(import_, &ClusterImport::failed, this, &ClusterController::failed);
    connect(import_, &ClusterImport::measured, this, [this](const QString& path, bool isDone) {
        if (isDone) side_->showImport();
        emit measured(path);
    });
    side_->setMinimumWidth(sideWidth);
    explainBandwidths();
    connect(topology, &TopologyView::selectionChanged, side_, &ClusterSide::setSelection);
    connect(topology, &TopologyView::detailsWanted, this, [this] {
        side_->show();
        side_->editDetails();
    });
    if (auto* framed = qobject_cast<QMainWindow*>(window))
        connect(topology, &TopologyView::said, framed->statusBar(),
                [bar = framed->statusBar()](const QString& text) { bar->showMessage(text, messageMs); });
    connect(topology, &TopologyView::templatesWanted, this, &ClusterController::insertTemplate);
    connect(side_, &ClusterSide::overlayChanged, topology->canvas(), &TopologyCanvas::setOverlay);
    connect(side_, &ClusterSide::deviceHovered, topology, &TopologyView::hoverDevice);
    connect(&workbench_, &Workbench::planShown, this, &ClusterController::showRun);
    connect(&workspace_, &Workspace::plansChanged, this, &ClusterController::showRun);
    connect(&workspace_, &Workspace::runsChanged, this, &ClusterController::showRun);
    actions.add({"view.inspector", viewMenu, tr("&Inspector of the cluster"), QKeySequence(tr("Ctrl+I"))},
                [this] {
                    const bool seen = side_->isVisible();
                    workbench_.showCluster();
                    side_->setVisible(!seen);
                });
    actions.add(
        {"cluster.template", clusterMenu, tr("Insert from &template…"), QKeySequence(tr("Ctrl+T")), "", true},
        [this] { insertTemplate(); });
}

void ClusterController::explainBandwidths() {
    BandwidthView* map = side_->bandwidths();
    connect(map, &BandwidthView::pairChanged, this, &ClusterController::showReasons);
    connect(side_->job(), &InterconnectJob::settled, this, &ClusterController::showReasons);
    connect(workbench_.topology(), &TopologyView::selectionChanged, this, &ClusterController::showReasons);
    connect(map, &BandwidthView::changeWanted, this, [this] { changeLink(narrowestOfCell_); });
    connect(side_->inspector(), &ClusterInspector::changeWanted, this,
            [this] { changeLink(narrowestOfPair_); });
}

/// Of the pair in the map, and of two GPUs that are selected.
void ClusterController::showReasons() {
    const TopologyScene& scene = workbench_.topology()->scene();
    const auto& known = side_->job()->data();
    const bool fits = side_->job()->isUpToDate() && known->cluster->devices == scene.cluster().devices &&
                      known->cluster->links == scene.cluster().links;
    const auto explain = [&](int a, int b, int& link) {
        link = -1;
        if (!fits || a < 0 || a == b) return QString();
        const BandwidthReason reason = bandwidthReason(scene, known->interconnect, a, b);
        link = reason.link;
        const QString offer = link < 0 ? QString() : " <a href=\"link\">" + tr("Change this link") + "</a>";
        return reason.words.toHtmlEscaped() + offer;
    };
    const BandwidthMap::Pair cell = side_->bandwidths()->map()->pair();
    side_->bandwidths()->setReason(explain(cell.a, cell.b, narrowestOfCell_));
    const ClusterSelection& chosen = workbench_.topology()->selection();
    if (SceneFolding(scene).hides(chosen) && SceneFolding(scene).of(chosen))
        return side_->inspector()->setReason(tr("Alike, and drawn as one box: a click or Enter shows one"));
    const bool two = chosen.devices.size() == 2 && chosen.size() == 2;
    side_->inspector()->setReason(two ? explain(chosen.devices[0], chosen.devices[1], narrowestOfPair_)
                                      : QString());
}

void ClusterController::changeLink(int link) {
    if (link < 0) return;
    workbench_.topology()->showSelection({{}, {}, {link}});
    side_->editDetails();
}

void ClusterController::take(const OpenedTopology& opened) {
    import_->begin(opened);
    workbench_.showCluster();
    showRun();
    side_->showImport();
    // Once the side has its place, and the canvas what is left.
    QMetaObject::invokeMethod(workbench_.topology(), &TopologyView::fit, Qt::QueuedConnection);
}

void ClusterController::take(const OpenedMeasurements& opened, const QString& path) {
    workbench_.showCluster();
    import_->measure(opened, path, selectedEnds());
}

/// Two GPUs, or all GPUs of two servers.
std::vector<std::string> ClusterController::selectedEnds() const {
    const Cluster& cluster = workspace_.problem().cluster;
    const std::vector<int>& devices = workbench_.topology()->selection().devices;
    std::vector<std::string> ids, servers;
    for (const int index : devices) {
        const Device& device = cluster.devices[static_cast<std::size_t>(index)];
        ids.push_back(device.id);
        if (std::find(servers.begin(), servers.end(), device.server) == servers.end())
            servers.push_back(device.server);
    }
    if (ids.size() == 2) return ids;
    return servers.size() == 2 ? servers : std::vector<std::string>{};
}

void ClusterController::showRun() {
    const PlanItem* item = workbench_.planInView();
    if (workbench_.currentKey() == QLatin1String("cluster")) side_->setRun(item ? item->run : nullptr);
}

void ClusterController::insertTemplate() {
    TemplateDialog dialog(window_);
    if (dialog.exec() != QDialog::Accepted || !dialog.cluster()) return;
    if (!workspace_.isOpen()) emit projectWanted();
    workbench_.showCluster();
    const Cluster& made = *dialog.cluster();
    const Cluster& before = workspace_.problem().cluster;
    const QString text = tr("Insert %1").arg(QString::fromStdString(dialog.chosen().title));
    TopologyView* topology = workbench_.topology();
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

}  // namespace stagecraft::app::shell
