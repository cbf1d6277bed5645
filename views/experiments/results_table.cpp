#include "views/experiments/results_table.h"

#include "views/common/text.h"
#include "views/common/list_filter.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include <numeric>

namespace stagecraft::views::experiments {

namespace {

constexpr int columnWidth = 110, mostMeasured = 40;

}  // namespace

ResultsTable::ResultsTable(QWidget* parent) : QWidget(parent) {
    QHBoxLayout* head = newHead();  // first, as the keyboard has it
    model_ = new ResultsModel(this);
    table_ = new QTableView(this);
    table_->setObjectName(QStringLiteral("resultsTable"));
    table_->setModel(model_);
    table_->setFrameShape(QFrame::NoFrame);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table_->setTabKeyNavigation(false);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    table_->setAccessibleName(tr("Results as a table"));
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->verticalHeader()->setDefaultSectionSize(24);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setDefaultSectionSize(columnWidth);
    table_->horizontalHeader()->setResizeContentsPrecision(mostMeasured);
    table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    table_->setSortingEnabled(true);
    table_->installEventFilter(this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(table_, 1);
    leadInto(*filter_, *table_);
    connect(filter_, &QLineEdit::textChanged, this, &ResultsTable::applyFilter);
    connect(table_, &QTableView::doubleClicked, this,
            [this](const QModelIndex& index) { emit picked(model_->cellOf(index.row())); });
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) {
                if (index.isValid() && !selecting_) emit chosen(model_->cellOf(index.row()));
            });
    connect(table_, &QTableView::customContextMenuRequested, this, [this](const QPoint& at) {
        const QModelIndex index = table_->indexAt(at);
        if (index.isValid())
            emit menuWanted(model_->cellOf(index.row()), table_->viewport()->mapToGlobal(at));
    });
}

QHBoxLayout* ResultsTable::newHead() {
    filter_ = new QLineEdit(this);
    filter_->setObjectName(QStringLiteral("resultsFilter"));
    filter_->setPlaceholderText(tr("Filter: spp microbatches>=8"));
    filter_->setClearButtonEnabled(true);
    filter_->setToolTip(
        tr("Words that a row contains, and bounds on an axis or a metric:\n"
           "microbatches>=8 iteration_time_s<500ms network=\"1 GB/s\""));
    count_ = new QLabel(this);
    count_->setProperty("role", "muted");
    auto* copy = new QPushButton(tr("Copy"), this);
    copy->setObjectName(QStringLiteral("copyResults"));
    copy->setProperty("quiet", true);
    copy->setToolTip(tr("Copies the selected rows, or all that are listed, as CSV (%1 in the table)")
                         .arg(QKeySequence(QKeySequence::Copy).toString(QKeySequence::NativeText)));
    connect(copy, &QPushButton::clicked, this, &ResultsTable::copy);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(8, 4, 8, 4);
    head->addWidget(filter_, 1);
    head->addWidget(count_);
    head->addWidget(copy);
    return head;
}

void ResultsTable::setResults(std::shared_ptr<const Grid> grid,
                              std::shared_ptr<const ResultsNumbers> numbers) {
    grid_ = grid;
    model_->setResults(std::move(grid), std::move(numbers));
    filter_->clear();
    table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    table_->resizeColumnsToContents();
    showCount();
}

void ResultsTable::refresh() {
    const bool first = model_->rowCount() == 0;
    model_->refresh();
    if (first && model_->rowCount() > 0) table_->resizeColumnsToContents();
    showCount();
}

void ResultsTable::applyFilter(const QString& text) {
    if (!grid_) return;
    const ResultsFilter filter(text, grid_);
    model_->setFilter(filter);
    showCount();
    if (!filter.mistake().isEmpty()) count_->setText(filter.mistake());
}

void ResultsTable::showCount() { count_->setText(countedText(model_->rowCount(), "row")); }

void ResultsTable::select(std::size_t cell) {
    const auto row = model_->rowOf(cell);
    if (!row) return table_->clearSelection();
    selecting_ = true;
    table_->selectRow(*row);
    table_->scrollTo(model_->index(*row, 0));
    selecting_ = false;
}

void ResultsTable::copy() {
    std::vector<int> rows;
    for (const QModelIndex& index : table_->selectionModel()->selectedRows()) rows.push_back(index.row());
    std::sort(rows.begin(), rows.end());
    if (rows.empty()) {
        rows.resize(static_cast<std::size_t>(model_->rowCount()));
        std::iota(rows.begin(), rows.end(), 0);
    }
    QGuiApplication::clipboard()->setText(model_->csv(rows));
}

bool ResultsTable::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Copy)) {
        copy();
        return true;
    }
    const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    if (!enter || !table_->currentIndex().isValid()) return QWidget::eventFilter(watched, event);
    emit picked(model_->cellOf(table_->currentIndex().row()));
    return true;
}

}  // namespace stagecraft::views::experiments
