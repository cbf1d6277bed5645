#pragma once

#include "core/planners/details/detail_filter.h"
#include "views/rooms.h"

#include <QAbstractTableModel>

#include <memory>
#include <vector>

namespace stagecraft::views::compare {

/// The rows of a table of what a planner looked through, in an order and through a filter. Texts are made
/// when they are shown, for there may be a hundred thousand rows.
class DetailRows : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    /// @param table nullptr: there is none
    void setTable(std::shared_ptr<const DetailTable> table);
    const std::shared_ptr<const DetailTable>& table() const { return table_; }
    /// Lists what the filter takes, which was made for this table.
    void setFilter(DetailFilter filter);
    /// The rows that are listed, as they are listed, as a table of their own.
    DetailTable listed() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    /// Empty cells come last either way, and equal ones keep the planner's order. @param column -1: that
    /// order
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    void list();

    std::shared_ptr<const DetailTable> table_;
    DetailFilter filter_;
    std::vector<std::size_t> rows_;  ///< of the table
    int sorted_ = -1;
    Qt::SortOrder order_ = Qt::AscendingOrder;
};

}  // namespace stagecraft::views::compare
