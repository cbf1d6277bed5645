#include "views/experiments/results_model.h"

#include "core/base/csv_text.h"
#include "core/experiments/printed.h"
#include "views/experiments/results_card.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::views::experiments {

ResultsModel::ResultsModel(QObject* parent) : QAbstractTableModel(parent) {}

void ResultsModel::setResults(std::shared_ptr<const Grid> grid,
                              std::shared_ptr<const ResultsNumbers> numbers) {
    beginResetModel();
    grid_ = std::move(grid);
    numbers_ = std::move(numbers);
    filter_ = {};
    sortColumn_ = -1;
    columns_.clear();
    const Experiment& experiment = grid_->experiment();
    for (std::size_t axis = 0; axis < experiment.axes.size(); ++axis)
        columns_.push_back({Column::axis, axis, experiment.axes[axis].numeric()});
    columns_.push_back({Column::planner});
    printed_ = ResultsNumbers(printedCells(*grid_));
    for (const std::string& metric : experiment.metrics) addMetric(metricIndex(metric));
    columns_.push_back({Column::status});
    for (std::size_t metric = 0; metric < metricDescriptions().size(); ++metric)
        if (std::none_of(columns_.begin(), columns_.end(), [&](const Column& column) {
                return column.kind == Column::metric && column.index == metric;
            }))
            addMetric(metric);
    rows_.clear();
    arrange();
    endResetModel();
}

void ResultsModel::addMetric(std::size_t metric) {
    columns_.push_back({Column::metric, metric, true});
    const auto& tables = grid_->experiment().printed;
    if (std::none_of(tables.begin(), tables.end(), [&](const PrintedTable& table) {
            return table.metric == metricDescriptions()[metric].name;
        }))
        return;
    columns_.push_back({Column::printed, metric, true});
    columns_.push_back({Column::overPrinted, metric, true});
}

double ResultsModel::numberIn(std::size_t cell, const Column& column) const {
    const double printed = column.kind == Column::metric ? 1 : printed_.at(column.index, cell);
    if (column.kind == Column::printed) return printed;
    return numbers_->at(column.index, cell) / printed;
}

void ResultsModel::arrange() {
    rows_.clear();
    for (std::size_t cell = 0; cell < numbers_->cellCount(); ++cell)
        if (numbers_->status(cell) != CellStatus::open && filter_.takes(cell, *numbers_))
            rows_.push_back(cell);
    order(rows_);
}

void ResultsModel::order(std::vector<std::size_t>& rows) const {
    if (sortColumn_ < 0) return;
    const Column& column = columns_[static_cast<std::size_t>(sortColumn_)];
    const auto& axes = grid_->experiment().axes;
    std::vector<std::pair<double, std::size_t>> keyed;
    keyed.reserve(rows.size());
    for (const std::size_t cell : rows) {
        double key = 0;
        if (column.kind == Column::axis) {
            const std::size_t value = grid_->coordinates(grid_->pointOf(cell))[column.index];
            key = column.numeric ? axes[column.index].values[value].number : static_cast<double>(value);
        } else if (column.numeric) {
            key = numberIn(cell, column);
        } else {
            key = static_cast<double>(column.kind == Column::planner
                                          ? grid_->plannerOf(cell)
                                          : static_cast<std::size_t>(numbers_->status(cell)));
        }
        // What has no number stays at the end in both directions.
        if (!std::isfinite(key))
            key = INFINITY;
        else if (sortOrder_ == Qt::DescendingOrder)
            key = -key;
        keyed.emplace_back(key, cell);
    }
    std::stable_sort(keyed.begin(), keyed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = keyed[i].second;
}

void ResultsModel::refresh() {
    if (!grid_) return;
    emit layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    std::vector<std::size_t> cells;
    for (const QModelIndex& index : before) cells.push_back(cellOf(index.row()));
    const std::size_t rows = rows_.size();
    arrange();
    QModelIndexList after;
    std::vector<int> places;  // by cell, made once it is needed
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (places.empty()) {
            places.assign(numbers_->cellCount(), -1);
            for (std::size_t row = 0; row < rows_.size(); ++row) places[rows_[row]] = static_cast<int>(row);
        }
        const int row = places[cells[i]];
        after << (row < 0 ? QModelIndex() : createIndex(row, before[static_cast<int>(i)].column()));
    }
    changePersistentIndexList(before, after);
    emit layoutChanged();
    if (rows != rows_.size() && !rows_.empty()) emit headerDataChanged(Qt::Vertical, 0, rowCount() - 1);
}

void ResultsModel::setFilter(const ResultsFilter& filter) {
    filter_ = filter;
    refresh();
}

void ResultsModel::sort(int column, Qt::SortOrder order) {
    sortColumn_ = column;
    sortOrder_ = order;
    refresh();
}

std::optional<int> ResultsModel::rowOf(std::size_t cell) const {
    const auto found = std::find(rows_.begin(), rows_.end(), cell);
    if (found == rows_.end()) return std::nullopt;
    return static_cast<int>(found - rows_.begin());
}

QString ResultsModel::text(std::size_t cell, const Column& column, bool exact) const {
    const Experiment& experiment = grid_->experiment();
    switch (column.kind) {
        case Column::axis: {
            const std::size_t value = grid_->coordinates(grid_->pointOf(cell))[column.index];
            return QString::fromStdString(experiment.axes[column.index].values[value].label);
        }
        case Column::planner:
            return QString::fromStdString(experiment.planners[grid_->plannerOf(cell)].label);
        case Column::status:
            return QLatin1String(statusName(numbers_->status(cell)));
        default:
            break;
    }
    const double number = numberIn(cell, column);
    if (column.kind == Column::printed && printed_.status(cell) == CellStatus::infeasible)
        return exact ? QString() : tr("out of memory");
    if (!std::isfinite(number)) return {};
    if (!exact)
        return numberText(number, column.kind == Column::overPrinted
                                      ? std::string()
                                      : metricDescriptions()[column.index].unit);
    std::string written;
    appendNumber(written, number);
    return QString::fromStdString(written);
}

QString ResultsModel::csv(const std::vector<int>& rows) const {
    std::string out;
    const auto csvSuffix = [](Column::Kind kind) {
        return kind == Column::printed ? "_printed" : kind == Column::overPrinted ? "_over_printed" : "";
    };
    const auto end = [&](std::size_t column) { out += column + 1 < columns_.size() ? "," : "\n"; };
    for (std::size_t column = 0; column < columns_.size(); ++column) {
        const Column& one = columns_[column];
        out += one.kind == Column::axis      ? csvCell(grid_->experiment().axes[one.index].name)
               : one.kind == Column::planner ? "planner"
               : one.kind == Column::status  ? "status"
                                             : metricDescriptions()[one.index].name + csvSuffix(one.kind);
        end(column);
    }
    for (const int row : rows)
        for (std::size_t column = 0; column < columns_.size(); ++column) {
            out += csvCell(text(cellOf(row), columns_[column], true).toStdString());
            end(column);
        }
    return QString::fromStdString(out);
}

int ResultsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int ResultsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant ResultsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Column& column = columns_[static_cast<std::size_t>(index.column())];
    const std::size_t cell = cellOf(index.row());
    if (role == Qt::DisplayRole) return text(cell, column, false);
    if (role == Qt::ToolTipRole && column.kind == Column::metric) {
        const QString exact = text(cell, column, true);
        const std::string& unit = metricDescriptions()[column.index].unit;
        return exact.isEmpty() || unit.empty() ? exact : exact + u' ' + QString::fromStdString(unit);
    }
    if (role == Qt::TextAlignmentRole && column.numeric) return int(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant ResultsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const Column& column = columns_[static_cast<std::size_t>(section)];
    if (role == Qt::ToolTipRole && column.kind == Column::metric)
        return QString::fromStdString(metricDescriptions()[column.index].description);
    const bool beside = column.kind == Column::printed || column.kind == Column::overPrinted;
    if (role == Qt::ToolTipRole && beside) {
        const QString title = QString::fromStdString(metricDescriptions()[column.index].title);
        return column.kind == Column::printed
                   ? tr("%1 as the paper prints it; hover a point of the chart for the place").arg(title)
                   : tr("%1 found here over what the paper prints").arg(title);
    }
    if (role != Qt::DisplayRole) return {};
    switch (column.kind) {
        case Column::axis:
            return QString::fromStdString(grid_->experiment().axes[column.index].name);
        case Column::planner:
            return tr("Planner");
        case Column::status:
            return tr("Status");
        case Column::printed:
            return tr("Printed");
        case Column::overPrinted:
            return tr("Over printed");
        default:
            return QString::fromStdString(metricDescriptions()[column.index].title);
    }
}

}  // namespace stagecraft::views::experiments
