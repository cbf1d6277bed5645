#include "views/common/table_columns.h"

#include <QEvent>
#include <QHeaderView>
#include <QTableView>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace stagecraft::views::common {

TableColumns::TableColumns(QTableView* table, int yielding, int least, int most)
    : QObject(table), table_(table), yielding_(yielding), least_(least), most_(most) {
    table->viewport()->installEventFilter(this);
}

void TableColumns::measure() {
    table_->ensurePolished();  // the style sheet sets font and padding
    // A header that shows arrows keeps room for one beside each title; ours is above it.
    QHeaderView* header = table_->horizontalHeader();
    const bool arrows = header->isSortIndicatorShown();
    header->setSortIndicatorShown(false);
    table_->resizeColumnsToContents();
    header->setSortIndicatorShown(arrows);
    wanted_.clear();
    for (int column = 0; column < header->count(); ++column) wanted_.push_back(table_->columnWidth(column));
    widen();
    if (yielding_ < static_cast<int>(wanted_.size())) {
        int& width = wanted_[static_cast<std::size_t>(yielding_)];
        width = std::min(width, most_);
    }
    spread();
}

void TableColumns::makeRoom(std::vector<int> pixels) {
    beside_ = std::move(pixels);
    const std::vector<int> before = wanted_;
    widen();
    if (wanted_ != before) spread();
}

void TableColumns::widen() {
    for (std::size_t column = 0; column < std::min(wanted_.size(), beside_.size()); ++column)
        wanted_[column] = std::max(wanted_[column], beside_[column]);
}

void TableColumns::spread() {
    if (wanted_.empty()) return;
    const int columns = static_cast<int>(wanted_.size());
    const int wanted = std::accumulate(wanted_.begin(), wanted_.end(), 0);
    const int spare = table_->viewport()->width() - wanted;
    // Ends of columns in proportion, so that a column of short numbers stays narrow and no pixel is left
    // over.
    const auto widened = [&](int end) {
        return static_cast<int>(std::int64_t{end} * (wanted + spare) / std::max(1, wanted));
    };
    int end = 0;
    for (int column = 0; column < columns; ++column) {
        int width = wanted_[static_cast<std::size_t>(column)];
        end += width;
        if (spare > 0) width = widened(end) - widened(end - width);
        if (spare < 0 && column == yielding_) width = std::max(std::min(least_, width), width + spare);
        table_->setColumnWidth(column, width);
    }
}

bool TableColumns::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) spread();
    return QObject::eventFilter(watched, event);
}

}  // namespace stagecraft::views::common
