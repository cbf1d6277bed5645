#include "views/profile/profile_view.h"

#include "views/common/table_columns.h"
#include "views/profile/layer_bars.h"
#include "views/profile/layer_table.h"
#include "views/profile/profile_header.h"
#include "views/profile/totals_row.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace stagecraft {

namespace {

constexpr int leastNameWidth = 168;
constexpr int mostNameWidth = 380;

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
    : QWidget(parent), pages_(new QStackedWidget(this)), header_(new ProfileHeader), bars_(new LayerBars),
      model_(new LayerTable(this)), filter_(new LayerFilter(this)) {
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(pages_);
    pages_->addWidget(emptyPage(pages_));

    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(bars_);
    splitter->addWidget(buildTablePane());
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 1);
    column->addWidget(header_);
    column->addWidget(splitter, 1);
    pages_->addWidget(page);

    connect(filterField_, &QLineEdit::textChanged, this, &ProfileView::filter);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &ProfileView::rowChosen);
    connect(bars_, &LayerBars::layerSelected, this, &ProfileView::selectLayer);
}

QWidget* ProfileView::buildTablePane() {
    auto* pane = new QWidget;
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(0, 6, 0, 0);
    column->setSpacing(0);

    auto* tools = new QHBoxLayout;
    tools->setContentsMargins(16, 0, 16, 6);
    filterField_ = new QLineEdit;
    filterField_->setPlaceholderText("Filter by name, index, or stage 2");
    filterField_->setClearButtonEnabled(true);
    filterField_->setMaximumWidth(320);
    tools->addWidget(filterField_);
    tools->addStretch();
    column->addLayout(tools);

    filter_->setSourceModel(model_);
    table_ = new QTableView(pane);
    table_->setModel(filter_);
    table_->setSortingEnabled(true);
    table_->sortByColumn(LayerTable::layerIndex, Qt::AscendingOrder);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setAlternatingRowColors(true);
    table_->setShowGrid(false);
    table_->setFrameShape(QFrame::NoFrame);
    table_->setWordWrap(false);
    table_->setTabKeyNavigation(false);
    table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->verticalHeader()->setDefaultSectionSize(table_->fontMetrics().height() + 8);
    table_->horizontalHeader()->setHighlightSections(false);
    columns_ = new TableColumns(table_, LayerTable::name, leastNameWidth, mostNameWidth);
    column->addWidget(table_, 1);
    totals_ = new TotalsRow(table_);
    column->addWidget(totals_);
    return pane;
}

void ProfileView::setProfile(const LayerProfile& profile) {
    filterField_->clear();
    header_->setProfile(profile);
    bars_->setProfile(profile);
    announce();
    model_->setProfile(profile);
    pages_->setCurrentIndex(profile.layers.empty() ? 0 : 1);
    columns_->measure();
    showTotals();
}

void ProfileView::setRun(std::shared_ptr<const PlanRun> run) {
    const bool planned = run && !run->result.plan.stages.empty();
    const std::optional<Plan> plan = planned ? std::optional(run->result.plan) : std::nullopt;
    bars_->setPlan(plan);
    model_->setPlan(plan);
    filter(filterField_->text());
    columns_->measure();
}

void ProfileView::filter(const QString& needle) {
    filter_->setNeedle(needle);
    showTotals();
}

void ProfileView::showTotals() {
    const int shown = filter_->rowCount();
    const int all = model_->rowCount();
    std::vector<QString> texts(static_cast<std::size_t>(model_->columnCount()));
    std::vector<QString> tooltips(texts.size());
    texts[LayerTable::name] = shown == all ? QString("Total of %1 layers").arg(all)
                                           : QString("Total of %1 of %2 layers").arg(shown).arg(all);
    for (int column = LayerTable::forward; column <= LayerTable::weightGradient; ++column) {
        double sum = 0;
        for (int row = 0; row < shown; ++row)
            sum += filter_->index(row, column).data(LayerTable::sortRole).toDouble();
        texts[static_cast<std::size_t>(column)] = LayerTable::formatted(sum, column);
        tooltips[static_cast<std::size_t>(column)] = LayerTable::exactText(sum, column);
    }
    totals_->setTexts(std::move(texts), std::move(tooltips));
}

int ProfileView::selectedLayer() const { return bars_->selectedLayer(); }

void ProfileView::selectLayer(int layer) {
    const QModelIndex source = model_->index(layer, LayerTable::name);
    const QModelIndex shown = source.isValid() ? filter_->mapFromSource(source) : QModelIndex();
    selecting_ = true;
    if (shown.isValid()) {
        table_->selectRow(shown.row());
        table_->scrollTo(shown);
    } else {
        table_->clearSelection();
    }
    selecting_ = false;
    bars_->select(layer);
    announce();
}

void ProfileView::announce() {
    if (std::exchange(announced_, bars_->selectedLayer()) != bars_->selectedLayer())
        emit layerSelected(announced_);
}

void ProfileView::rowChosen() {
    if (selecting_) return;
    const QModelIndexList rows = table_->selectionModel()->selectedRows();
    const int layer = rows.isEmpty() ? -1 : filter_->mapToSource(rows.front()).row();
    bars_->select(layer);
    announce();
}

}  // namespace stagecraft
