#include "views/compare/compare_view.h"

#include "core/analysis/memory_lack.h"
#include "core/runs/standing.h"
#include "views/common/table_columns.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"
#include "views/compare/bubble_memory_chart.h"
#include "views/compare/compare_model.h"
#include "views/compare/plan_details.h"
#include "views/compare/trade_off_chart.h"
#include "views/compare/tried_table.h"

#include <QApplication>
#include <QButtonGroup>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::views::compare {
namespace {

/// A cell of the comparison: its text in line with its title, and under it, where CompareModel::barRole
/// gives a length, a thin horizontal bar.
class CompareDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

constexpr int paddingLeft = 4, paddingRight = 8;  // as the titles have it
constexpr int barHeight = 4;
constexpr int leastBarWidth = 72;

void paintBar(QPainter& painter, const QRect& cell, double share, bool best) {
    const Theme& theme = Theme::current();
    const QRectF track(cell.left(), cell.bottom() - barHeight - 1, cell.width(), barHeight);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.line);
    painter.drawRoundedRect(track, barHeight / 2.0, barHeight / 2.0);
    painter.setBrush(best ? theme.accent : theme.mutedText);
    painter.drawRoundedRect(
        QRectF(track.topLeft(), QSizeF(std::max<double>(barHeight, track.width() * share), barHeight)),
        barHeight / 2.0, barHeight / 2.0);
}

void CompareDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    const QStyle* style = cell.widget ? cell.widget->style() : QApplication::style();
    style->drawPrimitive(QStyle::PE_PanelItemViewItem, &cell, painter, cell.widget);

    const QRect inner = cell.rect.adjusted(paddingLeft, 0, -paddingRight, 0);
    const QVariant colour = index.data(Qt::ForegroundRole);
    painter->save();
    painter->setFont(cell.font);
    painter->setPen(colour.isValid() ? colour.value<QColor>() : Theme::current().text);
    painter->drawText(inner, int(cell.displayAlignment) | Qt::TextSingleLine,
                      cell.fontMetrics.elidedText(cell.text, Qt::ElideMiddle, inner.width()));
    const QVariant share = index.data(CompareModel::barRole);
    if (share.isValid())
        paintBar(*painter, inner, share.toDouble(), index.data(CompareModel::bestRole).toBool());
    painter->restore();
}

QSize CompareDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    int width = cell.fontMetrics.horizontalAdvance(cell.text) + 1;
    if (index.data(CompareModel::barRole).isValid()) width = std::max(width, leastBarWidth);
    return {width + paddingLeft + paddingRight, cell.fontMetrics.height() + 4 * barHeight};
}

constexpr int rowHeight = 36;
constexpr int leastNameWidth = 200;  // "Data parallelism (edited)" is read whole
constexpr int mostNameWidth = 320;
constexpr int leastWidthOfBoth = 620;  // of charts and details beside each other
// The parts of the height that the table may take: all its rows, if that leaves enough for what is below.
constexpr double leastTablePart = 0.1;
constexpr double mostTablePart = 0.5;
}  // namespace

CompareView::CompareView(QWidget* parent)
    : QWidget(parent),
      model_(new CompareModel(this)),
      order_(new CompareOrder(this)),
      pages_(new QStackedWidget(this)) {
    order_->setSourceModel(model_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(pages_);
    pages_->addWidget(makeEmptyPage());
    pages_->addWidget(makeTablePage());
}

QWidget* CompareView::makeEmptyPage() {
    auto* page = new QWidget(pages_);
    auto* layout = new QVBoxLayout(page);
    auto* text = new QLabel("No plans to compare yet.", page);
    auto* button = new QPushButton("Run the planners", page);
    button->setObjectName("runPlanners");
    layout->addStretch();
    layout->addWidget(text, 0, Qt::AlignCenter);
    layout->addWidget(button, 0, Qt::AlignCenter);
    layout->addStretch();
    connect(button, &QPushButton::clicked, this, &CompareView::planningRequested);
    return page;
}

QWidget* CompareView::makeTablePage() {
    panes_ = new QSplitter(Qt::Vertical, pages_);
    table_ = new QTableView(panes_);
    table_->setObjectName("compareTable");
    table_->setModel(order_);
    table_->setSortingEnabled(true);
    table_->sortByColumn(CompareModel::columnOf(metricCatalogue().front().id), Qt::AscendingOrder);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setShowGrid(false);
    table_->setTabKeyNavigation(false);
    table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(rowHeight);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->setItemDelegate(new CompareDelegate(table_));
    columns_ = new TableColumns(table_, CompareModel::planColumn, leastNameWidth, mostNameWidth);
    table_->installEventFilter(this);
    setFocusProxy(table_);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    table_->horizontalHeader()->setContextMenuPolicy(Qt::CustomContextMenu);

    below_ = new QSplitter(Qt::Horizontal, panes_);
    makeCharts();
    details_ = new QTextBrowser(below_);
    details_->setObjectName("planDetails");
    details_->setOpenLinks(false);
    details_->setFrameShape(QFrame::NoFrame);
    details_->document()->setDocumentMargin(12);

    below_->setChildrenCollapsible(false);
    below_->setSizes({560, 440});
    panes_->setChildrenCollapsible(false);
    panes_->installEventFilter(this);
    connect(panes_, &QSplitter::splitterMoved, this, [this] { heightChosen_ = true; });

    connect(table_->horizontalHeader(), &QHeaderView::sortIndicatorChanged, order_,
            [this] { order_->setRanked(false); });
    connect(table_, &QWidget::customContextMenuRequested, this, &CompareView::showRowMenu);
    connect(table_->horizontalHeader(), &QWidget::customContextMenuRequested, this,
            &CompareView::showHeaderMenu);
    connect(table_, &QTableView::doubleClicked, this,
            [this](const QModelIndex& index) { emit planActivated(planOf(index)); });
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        if (restoring_) return;
        current_ = idOf(selectedPlan());
        showSelected();
    });
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (restoring_) return;
        chosen_.clear();
        for (const int plan : selectedPlans()) chosen_.push_back(idOf(plan));
    });
    return panes_;
}

void CompareView::makeCharts() {
    auto* both = new QWidget(below_);
    charts_ = new QStackedWidget(both);
    chart_ = new TradeOffChart(charts_);
    chart_->setObjectName("tradeOffChart");
    bubbles_ = new BubbleMemoryChart(charts_);
    bubbles_->setObjectName("bubbleMemoryChart");
    charts_->addWidget(bubbles_);
    charts_->addWidget(chart_);
    tried_ = new TriedTable(charts_);
    charts_->addWidget(tried_);
    auto* group = new QButtonGroup(this);
    bubblesButton_ =
        newSwitchButton(group, QStringLiteral("showBubbles"), QStringLiteral("Bubbles and memory"),
                        QStringLiteral("The plans by bubbles and peak memory"));
    stagesButton_ = newSwitchButton(group, QStringLiteral("showStages"), QStringLiteral("Numbers of stages"),
                                    QStringLiteral("What a planner tried"));
    triedButton_ = newSwitchButton(group, QStringLiteral("showTried"), QStringLiteral("Tried schedules"),
                                   QStringLiteral("What the search over schedules tried; double-click a row "
                                                  "to open its plan"));
    for (QToolButton* button : {bubblesButton_, stagesButton_, triedButton_})
        connect(button, &QToolButton::clicked, this, [this, button] {
            chartChosen_ = true;
            showLower(button);
        });
    auto* row = new QHBoxLayout;
    row->setContentsMargins(8, 4, 8, 0);
    row->setSpacing(4);
    row->addWidget(bubblesButton_);
    row->addWidget(stagesButton_);
    row->addWidget(triedButton_);
    row->addStretch(1);
    auto* column = new QVBoxLayout(both);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row);
    column->addWidget(charts_, 1);
    connect(chart_, &TradeOffChart::attemptActivated, this,
            [this](int stages) { emit attemptActivated(planWith(&PlannerReport::attempts), stages); });
    connect(tried_, &TriedTable::triedActivated, this,
            [this](int schedule) { emit triedActivated(planWith(&PlannerReport::tried), schedule); });
    connect(bubbles_, &BubbleMemoryChart::planPicked, this, &CompareView::selectPlan);
    showLower(bubblesButton_);
}

void CompareView::showLower(QToolButton* button) {
    button->setChecked(true);
    charts_->setCurrentWidget(button == bubblesButton_  ? static_cast<QWidget*>(bubbles_)
                              : button == stagesButton_ ? static_cast<QWidget*>(chart_)
                                                        : tried_);
}

void CompareView::setRuns(std::vector<std::shared_ptr<const PlanRun>> runs, std::vector<int> ids) {
    if (ids.empty() && !runs.empty()) {
        for (std::size_t i = 0; i < runs.size(); ++i) ids.push_back(static_cast<int>(i) + 1);
        followRuns(runs);
    }
    restoring_ = true;
    ids_ = std::move(ids);
    model_->setRuns(std::move(runs), referenceIndex(), ids_);
    pages_->setCurrentIndex(model_->runs().empty() ? 0 : 1);
    hideUnknown();
    columns_->measure();
    shareHeight();
    restoreSelection();
    restoring_ = false;
    showSelected();
}

/// Columns that are there only where some plan has a value.
void CompareView::hideUnknown() {
    for (int column = 0; column < model_->columnCount(); ++column) {
        const Metric* metric = CompareModel::metricOf(column);
        if (!metric || !metric->compared.whereKnown) continue;
        bool known = false;
        for (int row = 0; row < model_->rowCount() && !known; ++row)
            known = model_->index(row, column).data(CompareModel::sortRole).isValid();
        table_->setColumnHidden(column, !known);
    }
}

/// Where plans are known by their runs alone: what was selected is, by the numbers that these have now.
void CompareView::followRuns(const PlanRuns& runs) {
    const auto follow = [&](int& id) {
        const auto before = std::find(ids_.begin(), ids_.end(), id);
        if (before == ids_.end()) return;
        const auto& run = model_->runs()[static_cast<std::size_t>(before - ids_.begin())];
        const auto now = std::find(runs.begin(), runs.end(), run);
        id = now == runs.end() ? 0 : static_cast<int>(now - runs.begin()) + 1;
    };
    follow(current_);
    for (int& id : chosen_) follow(id);
}

void CompareView::restoreSelection() {
    QItemSelection rows;
    QModelIndex current = order_->index(0, CompareModel::planColumn);
    for (int plan = 0; plan < model_->rowCount(); ++plan) {
        const QModelIndex row = order_->mapFromSource(model_->index(plan, CompareModel::planColumn));
        if (idOf(plan) == current_) current = row;
        if (std::find(chosen_.begin(), chosen_.end(), idOf(plan)) != chosen_.end()) rows.select(row, row);
    }
    if (!current.isValid()) return;
    if (current_ == 0) current_ = idOf(planOf(current));
    table_->setCurrentIndex(current);
    if (rows.contains(current))
        table_->selectionModel()->select(rows, QItemSelectionModel::Select | QItemSelectionModel::Rows);
}

int CompareView::referenceIndex() const {
    const auto found = std::find(ids_.begin(), ids_.end(), reference_);
    return reference_ == 0 || found == ids_.end() ? -1 : static_cast<int>(found - ids_.begin());
}

void CompareView::setReference(int id) {
    if (reference_ == id) return;
    reference_ = id;
    if (!ids_.empty()) setRuns(model_->runs(), ids_);
}

void CompareView::chooseReference(int id) {
    setReference(id);
    emit referenceChosen(id);
}

void CompareView::showRowMenu(const QPoint& at) {
    const int plan = planOf(table_->indexAt(at));
    if (plan < 0) return;
    const PlanRun& run = *model_->runs()[static_cast<std::size_t>(plan)];
    const int id = ids_[static_cast<std::size_t>(plan)];
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(id < 0 ? "Keep and show plan" : "Show plan", this,
                    [this, plan] { emit planActivated(plan); });
    QAction* measure = menu->addAction("Measure the other plans against this one", this,
                                       [this, id](bool on) { chooseReference(on ? id : 0); });
    measure->setCheckable(true);
    measure->setChecked(reference_ == id);
    measure->setEnabled(run.ok());
    if (id < 0) menu->addAction("Keep in the project", this, [this, id] { emit keepRequested({id}); });
    menu->addSeparator();
    auto* copies = menu->addMenu("Copy table as");
    for (const TableFormat& format : tableFormats())
        copies->addAction(QString::fromStdString(std::string(format.title)), this,
                          [this, &format] { copyAs(format); });
    menu->popup(table_->viewport()->mapToGlobal(at));
}

void CompareView::showHeaderMenu(const QPoint& at) {
    const Metric* metric = CompareModel::metricOf(table_->horizontalHeader()->logicalIndexAt(at));
    if (!metric || metric->source != MetricSource::reference) return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [&](const QString& text, int id) {
        QAction* it = menu->addAction(text, this, [this, id] { chooseReference(id); });
        it->setCheckable(true);
        it->setChecked(reference_ == id);
    };
    add("Against the slowest plan that fits", 0);
    menu->addSeparator();
    for (std::size_t i = 0; i < ids_.size(); ++i) {
        const PlanRun& run = *model_->runs()[i];
        if (run.ok()) add("Against " + QString::fromStdString(run.title()).replace('&', "&&"), ids_[i]);
    }
    menu->popup(table_->horizontalHeader()->mapToGlobal(at));
}

void CompareView::shareHeight() {
    if (heightChosen_) return;
    const int whole = panes_->height();
    const int rows = table_->horizontalHeader()->sizeHint().height() + (order_->rowCount() + 1) * rowHeight;
    const int table =
        std::clamp(rows, static_cast<int>(leastTablePart * whole), static_cast<int>(mostTablePart * whole));
    panes_->setSizes({table, whole - table});
}

int CompareView::planOf(const QModelIndex& index) const {
    return index.isValid() ? order_->mapToSource(index).row() : -1;
}

int CompareView::selectedPlan() const { return planOf(table_->currentIndex()); }

std::vector<int> CompareView::plansInOrder() const {
    std::vector<int> plans;
    for (int row = 0; row < order_->rowCount(); ++row) plans.push_back(planOf(order_->index(row, 0)));
    return plans;
}

std::vector<int> CompareView::selectedPlans() const {
    std::vector<int> plans;
    for (int row = 0; row < order_->rowCount(); ++row)
        if (table_->selectionModel()->isRowSelected(row, {})) plans.push_back(planOf(order_->index(row, 0)));
    return plans;
}

void CompareView::selectPlan(int index) {
    if (index < 0 || index >= model_->rowCount()) return;
    current_ = idOf(index);
    table_->setCurrentIndex(order_->mapFromSource(model_->index(index, CompareModel::planColumn)));
}

template <class Rows>
int CompareView::planWith(Rows PlannerReport::*rows) const {
    const PlanRuns& runs = model_->runs();
    const auto has = [&](int plan) { return !(runs[static_cast<std::size_t>(plan)]->result.*rows).empty(); };
    if (const int selected = selectedPlan(); selected >= 0 && has(selected)) return selected;
    for (int i = 0; i < static_cast<int>(runs.size()); ++i)
        if (has(i)) return i;
    return -1;
}

void CompareView::showSelected() {
    const PlanRuns& runs = model_->runs();
    const int plan = selectedPlan();
    const int charted = planWith(&PlannerReport::attempts), searched = planWith(&PlannerReport::tried);
    bubblesButton_->setVisible(charted >= 0 || searched >= 0);
    stagesButton_->setVisible(charted >= 0);
    triedButton_->setVisible(searched >= 0);
    const bool gone =
        (stagesButton_->isChecked() && charted < 0) || (triedButton_->isChecked() && searched < 0);
    if (gone || !chartChosen_)
        showLower(searched >= 0 && searched == plan ? triedButton_
                  : charted >= 0                    ? stagesButton_
                                                    : bubblesButton_);
    tried_->setTried(
        searched < 0 ? std::vector<TriedSchedule>() : runs[static_cast<std::size_t>(searched)]->result.tried,
        searched < 0 || saysMemory(runs[static_cast<std::size_t>(searched)]->costs->problem().profile));
    bubbles_->setRuns(runs, plan);
    chart_->setAttempts(
        charted < 0 ? std::vector<Attempt>() : runs[static_cast<std::size_t>(charted)]->result.attempts,
        charted < 0 ? QString() : qtText(runs[static_cast<std::size_t>(charted)]->title()),
        charted < 0 || isCompared(*runs[static_cast<std::size_t>(charted)])
            ? QString()
            : standingName(standingOf(*runs[static_cast<std::size_t>(charted)])));
    if (plan < 0) {
        selected_.reset();
        showDetails({});
        return;
    }
    const bool changed = selected_ != runs[static_cast<std::size_t>(plan)];
    selected_ = runs[static_cast<std::size_t>(plan)];
    const int scrolled = details_->verticalScrollBar()->value();
    const int reference = model_->reference();
    showDetails(
        planDetails(*selected_, reference < 0 ? nullptr : runs[static_cast<std::size_t>(reference)].get()));
    if (!changed) details_->verticalScrollBar()->setValue(scrolled);
    if (changed) emit planSelected(plan);
}

/// Laying it out takes longer than all else that a new list of plans does.
void CompareView::showDetails(const QString& html) {
    if (std::exchange(detailsHtml_, html) != html) details_->setHtml(html);
}

TextCells CompareView::cells() const {
    const QHeaderView& header = *table_->horizontalHeader();
    std::vector<int> shown;
    for (int place = 0; place < header.count(); ++place)
        if (const int column = header.logicalIndex(place); !header.isSectionHidden(column))
            shown.push_back(column);
    TextCells table;
    for (const int column : shown)
        table.columns.push_back({order_->headerData(column, Qt::Horizontal).toString().toStdString(),
                                 CompareModel::metricOf(column) != nullptr});
    for (int row = 0; row < order_->rowCount(); ++row) {
        auto& cells = table.rows.emplace_back();
        for (const int column : shown)
            cells.push_back(order_->index(row, column).data(CompareModel::copyRole).toString().toStdString());
    }
    return table;
}

QString CompareView::tableText() const {
    const TextCells table = cells();
    QStringList line, lines;
    for (const TextCells::Column& column : table.columns) line << qtText(column.heading);
    lines << line.join('\t');
    for (const std::vector<std::string>& row : table.rows) {
        line.clear();
        for (const std::string& cell : row) line << qtText(cell).simplified();
        lines << line.join('\t');
    }
    return lines.join('\n') + '\n';
}

void CompareView::copyAs(const TableFormat& format) const {
    QGuiApplication::clipboard()->setText(qtText(format.write(cells())));
}

bool CompareView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == panes_ && event->type() == QEvent::Resize) {
        below_->setOrientation(panes_->width() < leastWidthOfBoth ? Qt::Vertical : Qt::Horizontal);
        shareHeight();
    }
    if (watched == table_ && event->type() == QEvent::KeyPress) {
        const auto* press = static_cast<QKeyEvent*>(event);
        if (press->matches(QKeySequence::Copy)) {
            QGuiApplication::clipboard()->setText(tableText());
            return true;
        }
        const int key = press->key();
        if ((key == Qt::Key_Return || key == Qt::Key_Enter) && selectedPlan() >= 0) {
            emit planActivated(selectedPlan());
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void CompareView::changeEvent(QEvent* event) {
    // The details carry the theme's colours in their text.
    if (event->type() == QEvent::PaletteChange && table_) showSelected();
    QWidget::changeEvent(event);
}

}  // namespace stagecraft::views::compare
