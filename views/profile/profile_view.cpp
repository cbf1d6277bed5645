#include "views/profile/profile_view.h"

#include "core/model/profile_sizes.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"
#include "views/profile/graph/network_view.h"
#include "views/profile/import_notes.h"
#include "views/profile/layer_bars.h"
#include "views/profile/layer_curves.h"
#include "views/profile/layer_pane.h"
#include "views/profile/layer_scatter.h"
#include "views/profile/layer_table.h"
#include "views/profile/operation_bar.h"
#include "views/profile/profile_editor.h"
#include "views/profile/profile_header.h"
#include "views/profile/size_bar.h"

#include <QButtonGroup>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace stagecraft::views::profile {

namespace {

constexpr int leastChartHeight = 180;

QWidget* emptyPage(QWidget* parent) {
    auto* label = new QLabel(
        "<p style='font-size:18px; font-weight:bold'>No profile yet</p>"
        "<p style='font-size:14px'>Open a profile (*.profile.json, or a graph.txt of PipeDream) or a sample: "
        "its layers appear here as bars and as a table.</p>",
        parent);
    label->setAlignment(Qt::AlignCenter);
    label->setWordWrap(true);
    label->setMargin(32);
    return label;
}

}  // namespace

ProfileView::ProfileView(QWidget* parent)
    : QWidget(parent),
      pages_(new QStackedWidget(this)),
      header_(new ProfileHeader),
      notes_(new ImportNotes),
      sizes_(new SizeBar),
      charts_(new QStackedWidget),
      bars_(new LayerBars),
      curves_(new LayerCurves),
      scatter_(new LayerScatter),
      network_(new NetworkView),
      operations_(new OperationBar),
      pane_(new LayerPane),
      complaint_(new QLabel),
      editor_(new ProfileEditor(*pane_, *operations_, this)) {
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(pages_);
    pages_->addWidget(emptyPage(pages_));
    pages_->addWidget(buildPage());
    connectParts();
    setFocusProxy(pane_->table());
}

// Parts that are taken down must not be answered any more.
ProfileView::~ProfileView() { blockSignals(true); }

QWidget* ProfileView::buildPage() {
    auto* page = new QWidget(pages_);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(header_);
    column->addWidget(notes_);
    column->addLayout(buildSwitch());
    // Where the window is too low for both they scroll together rather than lose their rows and bars.
    auto* scroller = new QScrollArea(page);
    scroller->setWidgetResizable(true);
    scroller->setFrameShape(QFrame::NoFrame);
    scroller->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* splitter = new QSplitter(Qt::Vertical, scroller->viewport());
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(charts_);
    charts_->setMinimumHeight(leastChartHeight);
    auto* lower = new QWidget(splitter);
    splitter->addWidget(lower);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 1);
    for (QWidget* chart : std::initializer_list<QWidget*>{bars_, curves_, scatter_, network_})
        charts_->addWidget(chart);
    complaint_->setObjectName(QStringLiteral("complaint"));
    complaint_->setWordWrap(true);
    complaint_->setContentsMargins(16, 4, 16, 4);
    complaint_->hide();
    auto* lowerColumn = new QVBoxLayout(lower);
    lowerColumn->setContentsMargins(0, 0, 0, 0);
    lowerColumn->setSpacing(0);
    lowerColumn->addWidget(operations_);
    lowerColumn->addWidget(complaint_);
    lowerColumn->addWidget(pane_, 1);
    scroller->setWidget(splitter);
    column->addWidget(scroller, 1);
    return page;
}

QLayout* ProfileView::buildSwitch() {
    auto* row = new QHBoxLayout;
    row->setContentsMargins(16, 6, 16, 6);
    row->setSpacing(4);
    auto* group = new QButtonGroup(this);
    const std::pair<const char*, const char*> charts[] = {
        {"Bars", "Time, parameters and activations of each layer"},
        {"Cumulative",
         "How much of the time, the parameters and the activations is in the layers up to each"},
        {"Scatter", "Each layer's time over its bytes"},
        {"Graph", "The network's nodes and which of them are one layer"}};
    for (const auto& [text, meaning] : charts) {
        auto* button = newSwitchButton(group, QStringLiteral("chart") + text, text, meaning);
        group->setId(button, static_cast<int>(chartButtons_.size()));
        chartButtons_.push_back(button);
        row->addWidget(button);
    }
    chartButtons_.front()->setChecked(true);
    connect(group, &QButtonGroup::idToggled, this, [this](int chart, bool on) {
        if (on) charts_->setCurrentIndex(chart);
    });
    row->addStretch();
    row->addWidget(sizes_);
    return row;
}

void ProfileView::connectParts() {
    connect(pane_, &LayerPane::layerChosen, this, &ProfileView::markLayer);
    connect(pane_, &LayerPane::chosenLayersChanged, this, &ProfileView::updateChosen);
    connect(pane_, &LayerPane::menuRequested, this, &ProfileView::menuRequested);
    connect(bars_, &LayerChart::layerSelected, this, &ProfileView::selectLayer);
    connect(curves_, &LayerChart::layerSelected, this, &ProfileView::selectLayer);
    connect(scatter_, &LayerScatter::layerSelected, this, &ProfileView::selectLayer);
    connect(network_->canvas(), &NetworkCanvas::layerSelected, this, &ProfileView::selectLayer);
    connect(network_->canvas(), &NetworkCanvas::cutToggled, editor_, &ProfileEditor::toggleCutAfter);
    connect(network_->canvas(), &NetworkCanvas::splitRequested, editor_, &ProfileEditor::splitLayer);
    connect(editor_, &ProfileEditor::complained, this, &ProfileView::complain);
    connect(editor_, &ProfileEditor::edited, this,
            [this](const LayerProfile& after, const QString& text) { emit profileEdited(after, text, {}); });
    connect(sizes_, &SizeBar::sizeChosen, this, [this] { showShown(false); });
    connect(sizes_, &SizeBar::groupChosen, this, [this] { showShown(false); });
    connect(sizes_, &SizeBar::adoptRequested, this, [this](int size) {
        emit profileEdited(profileAtSize(editor_->profile(), size),
                           QString("Use microbatches of %1").arg(size), {});
    });
}

LayerTable* ProfileView::model() const { return pane_->model(); }
QTableView* ProfileView::table() const { return pane_->table(); }
QLineEdit* ProfileView::filterField() const { return pane_->filterField(); }
TotalsRow* ProfileView::totals() const { return pane_->totals(); }

void ProfileView::setProfile(const LayerProfile& profile, bool another) {
    const bool isAnother = another || profile.name != editor_->profile().name;
    editor_->setProfile(profile);
    if (isAnother) {
        plan_.reset();
        notes_->hide();
    }
    complaint_->hide();
    sizes_->setProfile(profile);
    showShown(isAnother);
    pages_->setCurrentIndex(profile.layers.empty() ? 0 : 1);
    if (const std::vector<int> next = editor_->takeChooseNext(); !next.empty()) pane_->chooseLayers(next);
    markLayer(pane_->currentCell().first);
    updateChosen();
}

void ProfileView::showShown(bool another) {
    // Of a rank nothing can be edited, for it is no profile's own number.
    const LayerProfile shown = sizes_->shownOf(editor_->profile());
    editor_->setShownSize(sizes_->showsOwn() ? sizes_->shownSize() : 0);
    header_->setProfile(shown);
    bars_->setProfile(shown);
    curves_->setProfile(shown);
    scatter_->setProfile(shown);
    network_->setProfile(shown);
    network_->canvas()->setEditable(editor_->canEdit());
    pane_->model()->setEditable(editor_->canEdit());
    pane_->setProfile(shown, another);
    updateSwitch();
    setPlan(plan_);
    updateChosen();
}

void ProfileView::updateSwitch() {
    QToolButton* graph = chartButtons_[static_cast<std::size_t>(Chart::graph)];
    const bool isGraph = canShow(Chart::graph);
    graph->setEnabled(isGraph);
    graph->setToolTip(isGraph ? "The network's nodes and which of them are one layer"
                              : "The layers are a chain, and the nodes that they were made of are not known");
    if (!isGraph && graph->isChecked()) chartButtons_.front()->setChecked(true);
}

void ProfileView::setPlan(const std::optional<Plan>& plan) {
    plan_ = plan;
    const int layers = editor_->profile().layerCount();
    const auto fits = [layers](const Stage& stage) { return stage.lastLayer < layers; };
    const bool shows =
        plan && !plan->stages.empty() && std::all_of(plan->stages.begin(), plan->stages.end(), fits);
    const std::optional<Plan> shown = shows ? plan : std::nullopt;
    bars_->setPlan(shown);
    curves_->setPlan(shown);
    scatter_->setPlan(shown);
    network_->canvas()->setPlan(shown);
    pane_->setPlan(shown);
}

void ProfileView::setRun(std::shared_ptr<const PlanRun> run) {
    setPlan(run ? std::optional(run->result.plan) : std::nullopt);
}

void ProfileView::showImportNotes(const QString& file, const std::vector<ImportNote>& notes) {
    notes_->setNotes(file, notes);
}

void ProfileView::showChart(Chart chart) {
    if (canShow(chart)) chartButtons_[static_cast<std::size_t>(chart)]->setChecked(true);
}

ProfileView::Chart ProfileView::chart() const { return static_cast<Chart>(charts_->currentIndex()); }

bool ProfileView::canShow(Chart chart) const {
    const LayerProfile& profile = editor_->profile();
    return !profile.layers.empty() && (chart != Chart::graph || editor_->hasNodes() || !profile.isChain());
}

std::vector<int> ProfileView::chosenLayers() const { return pane_->chosenLayers(); }

void ProfileView::updateChosen() {
    operations_->setChosen(editor_->chosenText());
    if (!editor_->canEdit()) operations_->hide();
    emit chosenLayersChanged();
}

void ProfileView::complain(const QString& text) {
    QPalette warning = palette();
    warning.setColor(QPalette::WindowText, Theme::current().warning);
    complaint_->setPalette(warning);
    complaint_->setText(text);
    complaint_->setVisible(!text.isEmpty());
}

int ProfileView::selectedLayer() const { return bars_->selectedLayer(); }

void ProfileView::selectLayer(int layer) {
    pane_->chooseLayers(layer < 0 ? std::vector<int>{} : std::vector<int>{layer});
    markLayer(layer);
}

void ProfileView::markLayer(int layer) {
    bars_->select(layer);
    curves_->select(layer);
    scatter_->select(layer);
    network_->selectLayer(layer);
    if (std::exchange(announced_, bars_->selectedLayer()) != bars_->selectedLayer())
        emit layerSelected(announced_);
}

}  // namespace stagecraft::views::profile
