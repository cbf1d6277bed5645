#include "views/compare/detail_rows.h"

#include "views/common/text.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::views::compare {

namespace {

bool isEmpty(const DetailCell& cell) {
    const auto* text = std::get_if<std::string>(&cell);
    return text ? text->empty() : std::isnan(std::get<double>(cell));
}

QVariant alignmentOf(DetailUnit unit) {
    return QVariant::fromValue(Qt::AlignVCenter |
                               (unit == DetailUnit::text ? Qt::AlignLeft : Qt::AlignRight));
}

}  // namespace

void DetailRows::setTable(std::shared_ptr<const DetailTable> table) {
    beginResetModel();
    table_ = std::move(table);
    filter_ = {};
    sorted_ = -1;
    list();
    endResetModel();
}

void DetailRows::setFilter(DetailFilter filter) {
    beginResetModel();
    filter_ = std::move(filter);
    list();
    endResetModel();
}

void DetailRows::sort(int column, Qt::SortOrder order) {
    beginResetModel();
    sorted_ = column;
    order_ = order;
    list();
    endResetModel();
}

void DetailRows::list() {
    rows_ = table_ ? rowsTaken(*table_, filter_) : std::vector<std::size_t>{};
    if (sorted_ < 0 || sorted_ >= columnCount()) return;
    const auto cell = [&](std::size_t row) -> const DetailCell& {
        return table_->rows[row][static_cast<std::size_t>(sorted_)];
    };
    const auto empties = std::stable_partition(rows_.begin(), rows_.end(),
                                               [&](std::size_t row) { return !isEmpty(cell(row)); });
    std::stable_sort(rows_.begin(), empties, [&](std::size_t a, std::size_t b) {
        return order_ == Qt::AscendingOrder ? cell(a) < cell(b) : cell(b) < cell(a);
    });
}

DetailTable DetailRows::listed() const { return table_ ? withRows(*table_, rows_) : DetailTable{}; }

int DetailRows::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int DetailRows::columnCount(const QModelIndex& parent) const {
    return parent.isValid() || !table_ ? 0 : static_cast<int>(table_->columns.size());
}

QVariant DetailRows::data(const QModelIndex& index, int role) const {
    const auto column = static_cast<std::size_t>(index.column());
    const DetailCell& cell = table_->rows[rows_[static_cast<std::size_t>(index.row())]][column];
    const DetailUnit unit = table_->columns[column].unit;
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return qtText(detailText(cell, unit));
    if (role == Qt::TextAlignmentRole) return alignmentOf(unit);
    return {};
}

QVariant DetailRows::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || !table_) return {};
    const DetailColumn& column = table_->columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole) return qtText(column.heading);
    if (role == Qt::TextAlignmentRole) return alignmentOf(column.unit);
    if (role == Qt::ToolTipRole) return tr("%1 in a filter and in CSV files").arg(qtText(column.id));
    return {};
}

}  // namespace stagecraft::views::compare
