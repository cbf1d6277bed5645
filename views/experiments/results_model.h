#pragma once

#include "core/experiments/grid.h"
#include "views/experiments/results_filter.h"
#include "views/experiments/results_numbers.h"

#include <QAbstractTableModel>

#include <memory>
#include <optional>

namespace stagecraft::views::experiments {

/// The cells of an experiment that have been run as rows: coordinates, planner, the metrics that it is about,
/// status, the other metrics. It sorts and filters by itself, since a proxy would ask for each cell of ten
/// thousand rows many times over.
class ResultsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    explicit ResultsModel(QObject* parent = nullptr);

    void setResults(std::shared_ptr<const Grid> grid, std::shared_ptr<const ResultsNumbers> numbers);
    void refresh();
    void setFilter(const ResultsFilter& filter);

    std::size_t cellOf(int row) const { return rows_[static_cast<std::size_t>(row)]; }
    std::optional<int> rowOf(std::size_t cell) const;
    /// With a line of titles; numbers in full.
    QString csv(const std::vector<int>& rows) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    /// What a column shows: an axis, the planner, the status, a metric, what the source prints for it, or how
    /// much of that is found.
    struct Column {
        enum Kind { axis, planner, status, metric, printed, overPrinted } kind;
        std::size_t index = 0;
        bool numeric = false;  ///< its entries are numbers
    };
    QString text(std::size_t cell, const Column& column, bool exact) const;
    void addMetric(std::size_t metric);
    /// Of a column of numbers; NaN: none.
    double numberIn(std::size_t cell, const Column& column) const;
    void arrange();
    void order(std::vector<std::size_t>& rows) const;

    std::shared_ptr<const Grid> grid_;
    std::shared_ptr<const ResultsNumbers> numbers_;
    ResultsNumbers printed_;
    ResultsFilter filter_;
    std::vector<Column> columns_;
    std::vector<std::size_t> rows_;  ///< cells
    int sortColumn_ = -1;
    Qt::SortOrder sortOrder_ = Qt::AscendingOrder;
};

}  // namespace stagecraft::views::experiments
