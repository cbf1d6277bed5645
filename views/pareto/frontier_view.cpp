#include "views/pareto/frontier_view.h"

#include "views/common/widgets.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QShortcut>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::views::pareto {

namespace {

constexpr int tableHeight = 190, detailsWidth = 300, barWidth = 120;

}  // namespace

FrontierView::FrontierView(QWidget* parent)
    : QWidget(parent), pages_(new QStackedWidget), chart_(new FrontierChart) {
    setObjectName(QStringLiteral("frontierView"));
    auto* results = new QWidget;
    auto* column = new QVBoxLayout(results);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeBar());
    column->addWidget(chart_, 1);
    column->addWidget(makeBelow());
    pages_->addWidget(makeStartPage());
    pages_->addWidget(results);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(pages_);
    connect(chart_, &FrontierChart::selectedByPerson, this, &FrontierView::selectMark);
    connect(chart_, &FrontierChart::activated, this, [this](int mark) {
        selectMark(mark);
        open(selectedRow());
    });
    setRunning(false);
}

QWidget* FrontierView::makeStartPage() {
    auto* page = new QWidget;
    auto* lines = new QVBoxLayout(page);
    auto* text =
        newParagraph(tr("The plan that was found may use all GPUs and all of their memory. "
                        "The same search with half, a quarter and an eighth of the GPUs, and with less "
                        "of their memory, shows what less would cost in time."),
                     "muted");
    text->setAlignment(Qt::AlignCenter);
    auto* start = new QPushButton(tr("Search with less"));
    start->setObjectName(QStringLiteral("firstStartFrontier"));
    start->setProperty("primary", true);
    connect(start, &QPushButton::clicked, this, &FrontierView::startRequested);
    lines->addStretch(2);
    lines->addWidget(newLine(tr("The frontier"), "title"), 0, Qt::AlignCenter);
    lines->addSpacing(8);
    lines->addWidget(text);
    lines->addSpacing(16);
    lines->addWidget(start, 0, Qt::AlignCenter);
    lines->addStretch(3);
    return page;
}

QWidget* FrontierView::makeBar() {
    auto* bar = new QWidget;
    start_ = new QPushButton;
    start_->setObjectName(QStringLiteral("startFrontier"));
    connect(start_, &QPushButton::clicked, this,
            [this] { isRunning_ ? emit stopRequested() : emit startRequested(); });
    progress_ = new QProgressBar;
    progress_->setRange(0, progressSteps);
    progress_->setTextVisible(false);
    progress_->setFixedWidth(barWidth);
    status_ = newLine({}, "muted");
    status_->setObjectName(QStringLiteral("frontierStatus"));
    status_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    axis_ = new QComboBox;
    axis_->setObjectName(QStringLiteral("frontierAxis"));
    axis_->setAccessibleName(tr("Time against"));
    axis_->setToolTip(tr("What the level axis shows"));
    axis_->setFocusPolicy(Qt::TabFocus);
    connect(axis_, &QComboBox::currentIndexChanged, this, &FrontierView::axisChosen);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(12, 8, 8, 4);
    row->setSpacing(8);
    row->addWidget(start_);
    row->addWidget(progress_);
    row->addWidget(status_, 1);
    row->addWidget(newLine(tr("Time against"), "muted"));
    row->addWidget(axis_);
    return bar;
}

QWidget* FrontierView::makeBelow() {
    auto* below = new QWidget;
    below->setFixedHeight(tableHeight);
    table_ = new QTableWidget;
    table_->setObjectName(QStringLiteral("frontierTable"));
    table_->setAccessibleName(tr("Plans of the frontier"));
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setShowGrid(false);
    table_->setTabKeyNavigation(false);
    table_->setWordWrap(false);
    table_->verticalHeader()->hide();
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setStretchLastSection(true);
    connect(table_, &QTableWidget::currentCellChanged, this, [this] {
        if (!isShowing_) showSelected();
    });
    connect(table_, &QTableWidget::cellDoubleClicked, this, &FrontierView::open);
    for (const int key : {Qt::Key_Return, Qt::Key_Enter}) {
        auto* enter = new QShortcut(QKeySequence(key), table_, nullptr, nullptr, Qt::WidgetShortcut);
        connect(enter, &QShortcut::activated, this, [this] { open(selectedRow()); });
    }
    details_ = newParagraph({}, "muted");
    details_->setObjectName(QStringLiteral("frontierDetails"));
    details_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    details_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored);
    open_ = new QPushButton(tr("Open this plan"));
    open_->setObjectName(QStringLiteral("openFrontier"));
    connect(open_, &QPushButton::clicked, this, [this] { open(selectedRow()); });
    auto* side = new QWidget;
    side->setFixedWidth(detailsWidth);
    auto* lines = new QVBoxLayout(side);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->addWidget(details_, 1);
    lines->addWidget(open_, 0, Qt::AlignLeft);
    auto* row = new QHBoxLayout(below);
    row->setContentsMargins(12, 4, 12, 12);
    row->setSpacing(16);
    row->addWidget(table_, 1);
    row->addWidget(side);
    return below;
}

void FrontierView::setAxes(const QStringList& axes) {
    QStringList now;
    for (int i = 0; i < axis_->count(); ++i) now << axis_->itemText(i);
    if (now == axes) return;
    const int kept = std::max(0, axis_->currentIndex());
    const QSignalBlocker quiet(axis_);
    axis_->clear();
    axis_->addItems(axes);
    axis_->setCurrentIndex(kept);
}

int FrontierView::axis() const { return axis_->currentIndex(); }

void FrontierView::setRows(const QStringList& headings, std::vector<FrontierRow> rows, FrontierScene scene) {
    const int kept = selectedRow();
    isShowing_ = true;
    rows_ = std::move(rows);
    chart_->setScene(std::move(scene));
    table_->clear();
    table_->setColumnCount(static_cast<int>(headings.size()));
    table_->setRowCount(static_cast<int>(rows_.size()));
    table_->setHorizontalHeaderLabels(headings);
    const int last = static_cast<int>(headings.size()) - 1;
    for (int row = 0; row < table_->rowCount(); ++row)
        for (int column = 0; column <= last; ++column) {
            auto* item = new QTableWidgetItem(rows_[static_cast<std::size_t>(row)].cells.value(column));
            item->setToolTip(item->text());
            item->setTextAlignment((column == last ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
            table_->setItem(row, column, item);
        }
    for (int column = 0; column <= last; ++column)
        table_->horizontalHeaderItem(column)->setTextAlignment(
            (column == last ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    table_->resizeColumnsToContents();
    if (!rows_.empty()) table_->setCurrentCell(std::clamp(kept, 0, table_->rowCount() - 1), 0);
    isShowing_ = false;
    showSelected();
    setRunning(isRunning_);
}

void FrontierView::setRunning(bool isRunning) {
    isRunning_ = isRunning;
    start_->setText(isRunning ? tr("Stop") : tr("Search again"));
    progress_->setVisible(isRunning);
    pages_->setCurrentIndex(isRunning || !rows_.empty() ? 1 : 0);
}

void FrontierView::setProgress(double fraction) {
    progress_->setValue(static_cast<int>(fraction * progressSteps));
}

void FrontierView::setStatus(const QString& text, bool canOpen) {
    status_->setText(text);
    status_->setToolTip(text);
    canOpen_ = canOpen;
    start_->setEnabled(canOpen || isRunning_);
    showSelected();
}

int FrontierView::selectedRow() const { return table_->currentRow(); }

void FrontierView::selectMark(int mark) {
    for (std::size_t row = 0; row < rows_.size(); ++row)
        if (rows_[row].mark == mark) table_->setCurrentCell(static_cast<int>(row), 0);
}

void FrontierView::showSelected() {
    const int row = selectedRow();
    const bool isAny = row >= 0 && row < static_cast<int>(rows_.size());
    const FrontierRow shown = isAny ? rows_[static_cast<std::size_t>(row)] : FrontierRow();
    chart_->select(shown.mark);
    details_->setText(shown.details);
    details_->setToolTip(shown.details);
    open_->setEnabled(canOpen_ && shown.hasPlan);
}

void FrontierView::open(int row) {
    if (canOpen_ && row >= 0 && row < static_cast<int>(rows_.size()) &&
        rows_[static_cast<std::size_t>(row)].hasPlan)
        emit openRequested(row);
}

}  // namespace stagecraft::views::pareto
