#include "views/topology/topology_view.h"

#include "views/common/theme.h"
#include "views/common/widgets.h"
#include "views/topology/cluster_editor.h"
#include "views/topology/cluster_finder.h"
#include "views/topology/cluster_palette.h"
#include "views/topology/duplicate_popup.h"
#include "views/topology/pick_popup.h"
#include "views/topology/scene_folding.h"
#include "views/topology/topology_canvas.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QListWidget>
#include <QMouseEvent>
#include <QScrollArea>
#include <QSplitter>

#include <algorithm>
#include <iterator>

namespace stagecraft::views::topology {

namespace {

constexpr int stageRole = Qt::UserRole;
constexpr int legendWidth = 216;
constexpr int scrollBarWidth = 10;
constexpr int usualRack = 4, mostOfRack = 64;  // servers
constexpr QPoint popupCorner(8, 8);            // of the canvas

}  // namespace

TopologyView::TopologyView(QWidget* parent)
    : QWidget(parent),
      scene_(std::make_shared<TopologyScene>()),
      canvas_(new TopologyCanvas(this)),
      legend_(new QListWidget(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(canvas_, 1);
    row->addWidget(legend_);
    legend_->setFixedWidth(legendWidth);

    legend_->setFrameShape(QFrame::NoFrame);
    legend_->setMouseTracking(true);
    legend_->setUniformItemSizes(true);
    legend_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    legend_->setAccessibleName("Stages");
    legend_->viewport()->installEventFilter(this);
    legend_->hide();
    connect(legend_, &QListWidget::itemEntered, this, &TopologyView::emphasise);
    connect(legend_, &QListWidget::currentItemChanged, this, [this] { emphasise(nullptr); });
    connect(canvas_, &TopologyCanvas::deviceHovered, this, &TopologyView::deviceHovered);
    connect(canvas_, &TopologyCanvas::deviceSelected, this, &TopologyView::deviceSelected);
    connect(canvas_, &TopologyCanvas::serverToggled, this, &TopologyView::toggleServer);
    connect(canvas_, &TopologyCanvas::foldingWanted, this, &TopologyView::setFolding);
    setFocusProxy(canvas_);
}

void TopologyView::setCluster(const Cluster& cluster) {
    scene_ = std::make_shared<TopologyScene>(cluster, nullptr);
    canvas_->setScene(scene_);
    fillLegend();
}

void TopologyView::setRun(std::shared_ptr<const PlanRun> run) {
    if (run == scene_->run()) return;
    scene_->setRun(std::move(run));
    canvas_->refresh();
    fillLegend();
}

int TopologyView::selectedDevice() const { return canvas_->selectedDevice(); }
void TopologyView::selectDevice(int device) { canvas_->select(device); }
void TopologyView::hoverDevice(int device) { canvas_->hoverDevice(device); }
void TopologyView::fit() { canvas_->fit(); }

void TopologyView::updateCluster(const Cluster& cluster) {
    scene_ = std::make_shared<TopologyScene>(cluster, nullptr, scene_->openServers(), scene_->folding(),
                                             scene_.get());
    canvas_->updateScene(scene_);
    fillLegend();
}

/// Shows the network cards of a server one by one, or folded again; the view stays.
void TopologyView::toggleServer(const QString& server) {
    std::set<std::string> open = scene_->openServers();
    if (!open.insert(server.toStdString()).second) open.erase(server.toStdString());
    rebuild(std::move(open), scene_->folding());
}

/// The same cluster with more or less of it shown; the view stays.
void TopologyView::rebuild(std::set<std::string> openServers, const FoldChoice& choice) {
    const std::shared_ptr<const PlanRun> run = scene_->run();
    scene_ =
        std::make_shared<TopologyScene>(scene_->cluster(), run, std::move(openServers), choice, scene_.get());
    canvas_->updateScene(scene_);
}

void TopologyView::setFolding(const FoldChoice& choice) {
    if (choice == scene_->folding()) return;
    const bool wasFolding = scene_->folding().folds;
    std::set<std::string> opened;
    std::set_difference(choice.open.begin(), choice.open.end(), scene_->folding().open.begin(),
                        scene_->folding().open.end(), std::inserter(opened, opened.end()));
    rebuild(scene_->openServers(), choice);
    if (choice.folds != wasFolding) return canvas_->fit();
    // What was opened is what a person wants to see; else all that there is.
    const TopologyLayout& layout = scene_->layout();
    for (std::size_t i = 0; i < layout.servers.size(); ++i)
        if (opened.contains(layout.servers[i].name))
            setSelection(scene_->serverSelection(static_cast<int>(i)));
    for (std::size_t i = 0; i < layout.switches.size(); ++i)
        if (opened.contains(scene_->cluster().switches[i].id)) setSelection({{}, {static_cast<int>(i)}, {}});
    const std::vector<int> devices = selection().devices;
    if (opened.empty() && !devices.empty() && SceneFolding(*scene_).hides(selection())) {
        const int server = layout.serverOfDevice[static_cast<std::size_t>(devices.front())];
        setSelection(scene_->serverSelection(layout.drawnServer(server)));
    }
    canvas_->fit();
}

void TopologyView::toggleFolded() {
    if (const auto choice = SceneFolding(*scene_).of(selection())) setFolding(*choice);
}

void TopologyView::openFor(const ClusterSelection& selection) {
    if (const FoldChoice choice = SceneFolding(*scene_).showing(selection); choice != scene_->folding())
        rebuild(scene_->openServers(), choice);
}

void TopologyView::makeEditable() {
    editor_ = new ClusterEditor(this);
    palette_ = new ClusterPalette(*canvas_);
    // On a low screen it scrolls.
    auto* scroll = new QScrollArea;
    scroll->setWidget(palette_);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFixedWidth(palette_->sizeHint().width() + scrollBarWidth);
    scroll->setMinimumHeight(1);
    static_cast<QHBoxLayout*>(layout())->insertWidget(0, scroll);
    canvas_->setEditor(editor_);
    connect(editor_, &ClusterEditor::selectionChanged, this, &TopologyView::selectionChanged);
    connect(editor_, &ClusterEditor::edited, this, &TopologyView::clusterEdited);
    connect(editor_, &ClusterEditor::copied, this, &TopologyView::revealSelection);
    connect(editor_, &ClusterEditor::said, this, &TopologyView::said);
    connect(editor_, &ClusterEditor::otherTextPasted, this, &TopologyView::otherTextPasted);
    connect(palette_, &ClusterPalette::templatesWanted, this, &TopologyView::templatesWanted);
    connect(canvas_, &TopologyCanvas::machineWanted, this, &TopologyView::chooseMachine);
    connect(canvas_, &TopologyCanvas::menuWanted, this, &TopologyView::menuWanted);
    connect(canvas_, &TopologyCanvas::detailsWanted, this, &TopologyView::detailsWanted);
}

QWidget* TopologyView::takeLegend() {
    layout()->removeWidget(legend_);
    legend_->setParent(nullptr);
    legend_->setMinimumWidth(0);
    legend_->setMaximumWidth(QWIDGETSIZE_MAX);
    return legend_;
}

QSplitter& TopologyView::roomBeside() {
    auto* splitter = new QSplitter(this);
    delete layout()->replaceWidget(canvas_, splitter);
    splitter->addWidget(canvas_);
    splitter->setStretchFactor(0, 1);
    splitter->setChildrenCollapsible(false);
    return *splitter;
}

const ClusterSelection& TopologyView::selection() const { return canvas_->selection(); }

void TopologyView::setSelection(const ClusterSelection& selection) {
    if (editor_) editor_->select(selection);
}

void TopologyView::showSelection(const ClusterSelection& selection) {
    openFor(selection);
    setSelection(selection);
    QRectF area;
    for (const int device : selection.devices) area |= scene_->rectOf({TopologyItem::Kind::device, device});
    for (const int index : selection.switches)
        area |= scene_->rectOf({TopologyItem::Kind::switchNode, index});
    for (const int link : selection.links) area |= scene_->boundsOfLink(link);
    canvas_->reveal(area);
    canvas_->setFocus();
}

void TopologyView::duplicateTimes() {
    if (!editor_ || !editor_->canDuplicate()) return;
    auto* popup = new DuplicatePopup(editor_->selectionName(), this);
    connect(popup, &DuplicatePopup::accepted, editor_, &ClusterEditor::duplicate);
    const QRect seen = canvas_->rect();
    const QPoint at = canvas_->pointerInScene() ? QCursor::pos() : canvas_->mapToGlobal(seen.center());
    popup->showAt(at);
}

void TopologyView::chooseMachine(PalettePart part, std::optional<QPointF> dropped) {
    const bool isRack = part == PalettePart::rack;
    auto* popup = isRack ? new PickPopup(QStringLiteral("rackPopup"), tr("Server of the rack, as in H100"),
                                         &rackServersFor, this)
                         : new PickPopup(QStringLiteral("machinePopup"), tr("Server or rack, as in H100"),
                                         &machinesFor, this);
    if (isRack) popup->askCount(tr("Servers"), usualRack, mostOfRack);
    connect(popup, &PickPopup::accepted, this, [this, isRack, dropped](int index, int count) {
        MachineChoice machine = isRack ? rackOf(index, count) : machineOf(index);
        canvas_->setFocus();
        if (dropped)
            editor_->insert(*machine.cluster, *dropped, tr("Add %1").arg(machine.name));
        else
            canvas_->setPlacing(std::move(machine));
    });
    const QPoint at = dropped ? canvas_->viewport().toScreen(*dropped).toPoint() : popupCorner;
    popup->showAt(canvas_->mapToGlobal(at));
}

void TopologyView::find() {
    if (!editor_ || scene_->isEmpty()) return;
    const auto finder = std::make_shared<const ClusterFinder>(*scene_);
    auto* popup = new PickPopup(
        QStringLiteral("findPopup"), tr("GPU, server or switch, as in s0 GPU 3"),
        [finder](const QString& words) { return finder->find(words); }, this);
    connect(popup, &PickPopup::accepted, this, [this, finder](int index) {
        const ClusterSelection part = finder->partOf(index);
        openFor(part);
        setSelection(part);
        canvas_->fitSelection();
        canvas_->setFocus();
    });
    popup->showAt(canvas_->mapToGlobal(popupCorner));
}

/// What an edit added is in view; what was there moves no more than that needs.
void TopologyView::revealSelection() {
    QRectF area;
    const ClusterSelection& selection = canvas_->selection();
    for (const int device : selection.devices)
        area |= scene_->layout().shownRect({ClusterNode::Kind::device, device});
    for (const int index : selection.switches)
        area |= scene_->layout().shownRect({ClusterNode::Kind::switchNode, index});
    canvas_->reveal(area);
}

void TopologyView::fillLegend() {
    legend_->clear();
    const Plan* plan = scene_->plan();
    legend_->setVisible(plan != nullptr);
    if (!plan) return;
    const int copies = plan->pipelineCount();
    const auto addHeading = [&](const QString& text) {
        auto* heading = new QListWidgetItem(text, legend_);
        heading->setFlags(Qt::NoItemFlags);
        heading->setForeground(Theme::current().mutedText);
        heading->setData(stageRole, -1);
    };
    if (copies == 1) addHeading(QString::fromUtf8("Stages: layers × GPUs"));
    int copy = -1;
    for (int stage = 0; stage < plan->stageCount(); ++stage) {
        const int pipeline = plan->stages[static_cast<std::size_t>(stage)].pipeline;
        if (copies > 1 && pipeline != copy)
            addHeading(QString::fromUtf8("Pipeline copy %1: layers × GPUs").arg(pipeline));
        copy = pipeline;
        auto* item = new QListWidgetItem(colourSwatch(stageColour(stage, plan->stageCount())),
                                         describeStage(*plan, stage), legend_);
        item->setData(stageRole, stage);
        item->setToolTip(item->text() + " GPUs");
    }
}

/// The stage under the pointer, else the chosen one.
void TopologyView::emphasise(const QListWidgetItem* pointedAt) {
    const QListWidgetItem* item = pointedAt ? pointedAt : legend_->currentItem();
    canvas_->emphasiseStage(item ? item->data(stageRole).toInt() : -1);
}

void TopologyView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) fillLegend();
    QWidget::changeEvent(event);
}

bool TopologyView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Leave) emphasise(nullptr);
    // A click beside the list lets the chosen stage go.
    if (event->type() == QEvent::MouseButtonPress &&
        !legend_->itemAt(static_cast<QMouseEvent*>(event)->position().toPoint()))
        legend_->setCurrentItem(nullptr);
    return QWidget::eventFilter(watched, event);
}

}  // namespace stagecraft::views::topology
