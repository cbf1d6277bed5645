#include "views/experiments/results_pane.h"

#include "views/experiments/chart_bar.h"
#include "views/experiments/results_table.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>

namespace stagecraft::views::experiments {

namespace {

constexpr int tableRefreshMs = 100;

}  // namespace

ResultsPane::ResultsPane(QWidget* parent) : QWidget(parent), numbers_(std::make_shared<ResultsNumbers>()) {
    bar_ = new ChartBar(this);
    tableButton_ = new QToolButton(this);
    tableButton_->setObjectName(QStringLiteral("showResultsTable"));
    tableButton_->setText(tr("Table"));
    tableButton_->setToolTip(tr("The results as a table beside the chart"));
    tableButton_->setCheckable(true);
    tableButton_->setAutoRaise(true);
    tableButton_->setFocusPolicy(Qt::TabFocus);
    auto* parts = new QSplitter(this);
    chart_ = new ResultsChart(parts);
    table_ = new ResultsTable(parts);
    table_->hide();
    auto* head = new QHBoxLayout;
    head->setContentsMargins(0, 0, 12, 0);
    head->setSpacing(0);
    head->addWidget(bar_, 1);
    head->addWidget(tableButton_, 0, Qt::AlignTop);
    parts->setChildrenCollapsible(false);
    parts->addWidget(chart_);
    parts->addWidget(table_);
    parts->setStretchFactor(0, 3);
    parts->setStretchFactor(1, 2);
    parts->setSizes({600, 400});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(parts, 1);
    tableRefresh_.setSingleShot(true);
    tableRefresh_.setInterval(tableRefreshMs);
    connect(&tableRefresh_, &QTimer::timeout, this, [this] {
        if (grid_ && isTableShown()) table_->refresh();
    });
    connect(tableButton_, &QToolButton::toggled, this, [this](bool shown) {
        table_->setVisible(shown);
        if (shown && grid_) table_->refresh();
    });
    connect(bar_, &ChartBar::changed, this, [this] {
        chart_->setResults(grid_, numbers_, bar_->choice());
        emit choiceChanged();
    });
    connect(chart_, &ResultsChart::picked, this, &ResultsPane::cellPicked);
    connect(chart_, &ResultsChart::pickedBeside, this, &ResultsPane::cellPickedBeside);
    connect(chart_, &ResultsChart::menuWanted, this, &ResultsPane::showMenu);
    connect(chart_, &ResultsChart::chosen, this, &ResultsPane::select);
    connect(table_, &ResultsTable::chosen, this, [this](std::size_t cell) { chart_->select(cell); });
    connect(table_, &ResultsTable::picked, this, &ResultsPane::cellPicked);
    connect(table_, &ResultsTable::menuWanted, this, &ResultsPane::showMenu);
}

void ResultsPane::setGrid(std::shared_ptr<const Grid> grid) {
    grid_ = std::move(grid);
    numbers_ = std::make_shared<ResultsNumbers>(std::vector<CellResult>(grid_->cellCount()));
    chart_->select({});
    table_->setResults(grid_, numbers_);
    setChoice(firstChoice(grid_->experiment()));
}

void ResultsPane::setCells(const std::vector<CellResult>& cells) {
    *numbers_ = ResultsNumbers(cells);
    refresh();
}

void ResultsPane::refresh() {
    if (!grid_) return;
    chart_->setResults(grid_, numbers_, bar_->choice());
    if (isTableShown() && !tableRefresh_.isActive()) tableRefresh_.start();
}

const ChartChoice& ResultsPane::choice() const { return bar_->choice(); }

void ResultsPane::setChoice(const ChartChoice& choice) {
    bar_->setGrid(grid_, choice);
    chart_->setResults(grid_, numbers_, bar_->choice());
}

bool ResultsPane::isTableShown() const { return tableButton_->isChecked(); }
void ResultsPane::showTable(bool shown) { tableButton_->setChecked(shown); }

void ResultsPane::select(std::size_t cell) {
    chart_->select(cell);
    if (isTableShown()) table_->select(cell);
}

void ResultsPane::showMenu(std::size_t cell, const QPoint& globalPosition) {
    QMenu menu(this);
    menu.setObjectName(QStringLiteral("resultsMenu"));
    const bool planned = numbers_->status(cell) == CellStatus::ok;
    const auto add = [&](const QString& text, bool enabled, const std::function<void()>& what) {
        QAction* action = menu.addAction(text);
        action->setEnabled(enabled);
        connect(action, &QAction::triggered, this, what);
    };
    add(tr("&Open as project"), planned, [this, cell] { emit cellPicked(cell); });
    add(tr("Open in a new &window"), planned, [this, cell] { emit cellPickedBeside(cell); });
    menu.addSeparator();
    add(tr("Show in &table"), numbers_->status(cell) != CellStatus::open, [this, cell] {
        showTable(true);
        table_->select(cell);
        table_->table().setFocus();
    });
    add(tr("Show all of the &chart"), chart_->shownPart() != QRectF(0, 0, 1, 1),
        [this] { chart_->showPart(QRectF(0, 0, 1, 1)); });
    menu.exec(globalPosition);
}

}  // namespace stagecraft::views::experiments
