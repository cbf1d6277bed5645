#include "views/compare/tried_table.h"

#include "core/base/units.h"
#include "core/planners/schedule_search/tried_schedules.h"
#include "views/common/text.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>

#include <algorithm>
#include <limits>

namespace stagecraft::views::compare {

namespace {

constexpr int sortRole = Qt::UserRole, indexRole = Qt::UserRole + 1;
// Pixels; the tips have all of longer ones.
constexpr int widestSchedule = 230, leastSchedule = 104, leastStages = 96, leastRemark = 72;
constexpr double lastOfAll = std::numeric_limits<double>::max();

QStandardItem* newItem(const std::string& text, const QVariant& sort, int index) {
    auto* item = new QStandardItem(qtText(text));
    item->setData(sort, sortRole);
    item->setData(index, indexRole);
    item->setEditable(false);
    item->setToolTip(item->text());
    return item;
}

QStandardItem* newText(const std::string& text, int index) { return newItem(text, qtText(text), index); }

QStandardItem* newNumber(const std::string& text, double value, int index) {
    QStandardItem* item = newItem(text, value, index);
    item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    return item;
}

std::string remarkOn(const TriedSchedule& tried) {
    if (!tried.leftOut.empty()) return tried.leftOut;
    if (tried.chosen) return "chosen";
    return tried.lackingBytes > 0 ? "lacks " + formatBytes(tried.lackingBytes) : "";
}

}  // namespace

TriedTable::TriedTable(QWidget* parent)
    : QTableView(parent), rows_(new QStandardItemModel(this)), order_(new QSortFilterProxyModel(this)) {
    setObjectName(QStringLiteral("triedTable"));
    setAccessibleName(tr("Schedules that were tried"));
    order_->setSourceModel(rows_);
    order_->setSortRole(sortRole);
    setModel(order_);
    setSortingEnabled(true);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setShowGrid(false);
    setTabKeyNavigation(false);
    setWordWrap(false);
    verticalHeader()->hide();
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setStretchLastSection(true);
    connect(this, &QTableView::doubleClicked, this, &TriedTable::activate);
}

void TriedTable::setTried(const std::vector<TriedSchedule>& tried, bool knowsMemory) {
    if (tried == tried_ && rows_->columnCount() > 0) return;
    tried_ = tried;
    rows_->clear();
    rows_->setHorizontalHeaderLabels(
        {tr("Schedule"), tr("Stages"), tr("Iteration"), tr("Peak memory"), tr("Remark")});
    for (int i = 0; i < static_cast<int>(tried_.size()); ++i) {
        const TriedSchedule& each = tried_[static_cast<std::size_t>(i)];
        const bool simulated = each.leftOut.empty();
        rows_->appendRow({newText(triedScheduleTitle(each), i), newText(stageSourceTitle(each.partition), i),
                          newNumber(simulated ? formatSeconds(each.iterationTimeS) : "",
                                    simulated ? each.iterationTimeS : lastOfAll, i),
                          newNumber(!simulated    ? ""
                                    : knowsMemory ? formatBytes(each.peakBytes)
                                                  : "–",
                                    simulated ? each.peakBytes : lastOfAll, i),
                          newText(remarkOn(each), i)});
    }
    // The planner's own order, in which what fits comes first, until a heading is clicked.
    order_->sort(-1);
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    for (int column = 0; column < rows_->columnCount(); ++column)
        rows_->horizontalHeaderItem(column)->setTextAlignment(
            (column == timeColumn || column == memoryColumn ? Qt::AlignRight : Qt::AlignLeft) |
            Qt::AlignVCenter);
    resizeColumnsToContents();
    wantedSchedule_ = std::min(columnWidth(scheduleColumn), widestSchedule);
    wantedStages_ = columnWidth(stagesColumn);
    spread();
}

/// The numbers are read whole, and remarks as far as the window goes; where that is narrow, names give way.
void TriedTable::spread() {
    if (rows_->columnCount() < columns) return;
    const int room = viewport()->width() - columnWidth(timeColumn) - columnWidth(memoryColumn) - leastRemark;
    const int stages =
        std::clamp(room - wantedSchedule_, std::min(leastStages, wantedStages_), wantedStages_);
    setColumnWidth(stagesColumn, stages);
    setColumnWidth(scheduleColumn,
                   std::clamp(room - stages, leastSchedule, std::max(leastSchedule, wantedSchedule_)));
    setColumnWidth(remarkColumn, leastRemark);  // and what is left
}

void TriedTable::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    spread();
}

void TriedTable::activate(const QModelIndex& index) {
    if (!index.isValid()) return;
    const int row = index.data(indexRole).toInt();
    if (tried_[static_cast<std::size_t>(row)].leftOut.empty()) emit triedActivated(row);
}

void TriedTable::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return activate(currentIndex());
    QTableView::keyPressEvent(event);
}

}  // namespace stagecraft::views::compare
