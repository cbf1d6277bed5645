#include "app/panels/cluster_side.h"

#include "app/panels/cluster_inspector.h"
#include "app/panels/import_report.h"
#include "core/base/units.h"
#include "core/editing/cluster_delta.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"
#include "views/interconnect/bandwidth_view.h"
#include "views/interconnect/cut_tree.h"
#include "views/interconnect/traffic_view.h"

#include <QCheckBox>
#include <QLabel>
#include <QProgressBar>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace stagecraft::app::panels {
namespace {

// Blue and orange of Okabe and Ito: distinguishable to everybody, and apart from the accent by their orange.
const QColor firstSide(0x00, 0x72, 0xB2), secondSide(0xE6, 0x9F, 0x00);

/// Its content is made where it stands, in the viewport.
QScrollArea* newScroller(QWidget* stack) {
    auto* scroll = new QScrollArea(stack);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return scroll;
}

}  // namespace

ClusterSide::ClusterSide(Workspace& workspace, QWidget* stages, QWidget* parent)
    : QTabWidget(parent), workspace_(workspace), job_(new InterconnectJob(this)) {
    setObjectName(QStringLiteral("clusterSide"));
    setDocumentMode(true);
    setUsesScrollButtons(false);
    auto* stack = findChild<QStackedWidget*>();
    QScrollArea* inspect = newScroller(stack);
    inspector_ = new ClusterInspector(workspace, inspect->viewport());
    inspect->setWidget(inspector_);
    QScrollArea* bandwidth = newScroller(stack);
    bandwidths_ = new BandwidthView(bandwidth->viewport());
    bandwidth->setWidget(bandwidths_);
    cutsPage_ = makeCutsPage(stack);
    traffic_ = new TrafficView(stages, stack);
    import_ = new ImportReport(stack);
    addTab(inspect, tr("Inspect"));
    addTab(bandwidth, tr("Bandwidth"));
    addTab(cutsPage_, tr("Order"));
    addTab(traffic_, tr("Plan"));
    setTabToolTip(0, tr("The numbers of the selection"));
    setTabToolTip(1, tr("From each device to each other, as planners see it"));
    setTabToolTip(2, tr("The device order of SPP and the cuts that make it"));
    setTabToolTip(3, tr("The stages of the plan, and what they send over the links"));

    addTab(import_, tr("Import"));
    setTabToolTip(4, tr("What the imported text said, and what was assumed"));
    setTabVisible(indexOf(import_), false);

    connect(&workspace_, &Workspace::projectReplaced, this, [this] {
        setTabVisible(indexOf(import_), false);
        takeCluster();
    });
    connect(&workspace_, &Workspace::problemChanged, this, [this](unsigned parts) {
        if (parts & clusterPart) takeCluster();
        // The canvas has forgotten the overlay with the drawing that it was for.
        else if (parts & drawingPart)
            updateOverlay();
    });
    connectJob();
    connectViews();
    takeCluster();
    showCutsNote();
}

void ClusterSide::connectJob() {
    connect(job_, &InterconnectJob::matrixReady, this, [this](const auto& known) {
        bandwidths_->setData(known, job_->whyNone());
        cuts_->setCuts(nullptr, nullptr);
        showCutsNote();
    });
    connect(job_, &InterconnectJob::settled, this, &ClusterSide::updateOverlay);
    connect(job_, &InterconnectJob::cutsReady, this, [this](const auto& found) {
        bandwidths_->setCuts(found);
        cuts_->setCuts(job_->data(), found);
        showCutsNote();
        updateOverlay();
    });
    connect(job_, &InterconnectJob::cutsProgressed, this,
            [this](double share) { cutsProgress_->setValue(static_cast<int>(share * progressSteps)); });
}

void ClusterSide::connectViews() {
    connect(bandwidths_, &BandwidthView::pairChanged, this, &ClusterSide::updateOverlay);
    connect(bandwidths_, &BandwidthView::sortingChanged, this, &ClusterSide::requestShownData);
    connect(cuts_, &CutTree::forkChanged, this, [this] {
        showCutsNote();
        updateOverlay();
    });
    connect(cuts_, &CutTree::deviceHovered, this, &ClusterSide::deviceHovered);
    connect(traffic_, &TrafficView::highlightsChanged, this, &ClusterSide::updateOverlay);
    connect(this, &QTabWidget::currentChanged, this, [this] {
        requestShownData();
        updateOverlay();
    });
}

QWidget* ClusterSide::makeCutsPage(QWidget* stack) {
    auto* page = new QWidget(stack);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(8);
    drawOrder_ = new QCheckBox(tr("Number the devices on the canvas"));
    drawOrder_->setObjectName(QStringLiteral("drawOrder"));
    drawOrder_->setChecked(true);
    drawOrder_->setToolTip(tr("Their places in the order, and a line from each to the next"));
    cutsNote_ = new QLabel;
    cutsNote_->setObjectName(QStringLiteral("cutsNote"));
    cutsNote_->setWordWrap(true);
    cutsNote_->setProperty("role", "muted");
    cutsProgress_ = new QProgressBar;
    cutsProgress_->setRange(0, progressSteps);
    cutsProgress_->setTextVisible(false);
    column->addWidget(drawOrder_);
    column->addWidget(cutsNote_);
    column->addWidget(cutsProgress_);
    cuts_ = new CutTree;
    column->addWidget(cuts_, 1);
    column->addStretch(0);
    connect(drawOrder_, &QCheckBox::toggled, this, &ClusterSide::updateOverlay);
    return page;
}

void ClusterSide::setSelection(const ClusterPart& selection) { inspector_->setSelection(selection); }

void ClusterSide::setRun(std::shared_ptr<const PlanRun> run) {
    // Links of a plan for another cluster are others.
    if (run && run->costs &&
        clusterDelta(run->costs->problem().cluster, workspace_.problem().cluster).concernsPlans())
        run.reset();
    traffic_->setRun(std::move(run));
}

void ClusterSide::showImport() {
    setTabVisible(indexOf(import_), true);
    setCurrentWidget(import_);
    show();
}

void ClusterSide::editDetails() {
    setCurrentIndex(0);
    inspector_->focusFirst();
}

void ClusterSide::takeCluster() {
    const std::shared_ptr<const Problem> problem = workspace_.sharedProblem();
    job_->setCluster(std::shared_ptr<const Cluster>(problem, &problem->cluster));
    updateOverlay();
}

void ClusterSide::showEvent(QShowEvent* event) {
    QTabWidget::showEvent(event);
    requestShownData();
}

void ClusterSide::hideEvent(QHideEvent* event) {
    QTabWidget::hideEvent(event);
    job_->wantCuts(false);
}

void ClusterSide::requestShownData() {
    const bool onMap = currentIndex() == 1 && bandwidths_->wantsCuts();
    job_->wantCuts(isVisible() && (onMap || currentWidget() == cutsPage_));
    showCutsNote();
}

void ClusterSide::showCutsNote() {
    const std::shared_ptr<const DeviceCuts>& found = job_->cuts();
    const QString whyNone = job_->whyNone();
    cutsProgress_->setVisible(!found && whyNone.isEmpty());
    cuts_->setVisible(found != nullptr);
    drawOrder_->setEnabled(found && !found->order.empty());
    if (!whyNone.isEmpty())
        cutsNote_->setText(whyNone);
    else if (!found)
        cutsNote_->setText(tr("Working out the cuts…"));
    else if (cuts_->chosenFork() >= 0)
        cutsNote_->setText(cuts_->describe(cuts_->chosenFork()));
    else if (found->forks.empty())
        cutsNote_->setText(tr("Fewer than two devices: there is nothing to cut."));
    else
        cutsNote_->setText(
            tr("SPP cuts the cluster where least bandwidth crosses, then each side again. "
               "Point at a fork to see its sides."));
}

void ClusterSide::updateOverlay() {
    overlay_ = {};
    // Indices of a cluster that has been edited since mean other things.
    if (job_->isUpToDate()) {
        if (currentIndex() == 1) addPair();
        if (currentWidget() == cutsPage_) addFork();
        if (currentWidget() == traffic_)
            for (const LinkHighlight& link : traffic_->highlights())
                overlay_.lines.push_back({link.link, link.colour, link.width, {}, link.bytes});
    }
    emit overlayChanged(overlay_);
}

void ClusterSide::addPair() {
    const BandwidthMap::Pair pair = bandwidths_->map()->pair();
    if (!pair) return;
    const InterconnectData& known = *job_->data();
    constexpr double width = 4.5;
    for (const int link : known.interconnect.path(pair.a, pair.b))
        overlay_.lines.push_back({link, Theme::current().accent, width,
                                  QString::fromStdString(formatBandwidth(
                                      known.cluster->links[static_cast<std::size_t>(link)].bandwidthBps))});
    for (const int device : {pair.a, pair.b}) overlay_.marks.push_back({device, Theme::current().accent});
}

void ClusterSide::addFork() {
    if (!job_->cuts()) return;
    const DeviceCuts& found = *job_->cuts();
    if (drawOrder_->isChecked()) overlay_.order = found.order;
    if (cuts_->chosenFork() < 0) return;
    const CutFork& fork = found.forks[static_cast<std::size_t>(cuts_->chosenFork())];
    for (int place = fork.first; place < fork.first + fork.count; ++place)
        overlay_.marks.push_back({found.order[static_cast<std::size_t>(place)],
                                  place < fork.first + fork.split ? firstSide : secondSide});
}

}  // namespace stagecraft::app::panels
