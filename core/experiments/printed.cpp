#include "core/experiments/printed.h"

#include <algorithm>

namespace stagecraft::experiments {

namespace {

/// The number of the table that is about the cell.
const PrintedNumber* numberAt(const Grid& grid, const PrintedTable& table, std::size_t cell) {
    const Experiment& experiment = grid.experiment();
    const std::vector<std::size_t> at = grid.coordinates(grid.pointOf(cell));
    std::string value;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
        const std::string& label = experiment.axes[axis].values[at[axis]].label;
        const auto fixed = table.at.find(experiment.axes[axis].name);
        if (fixed != table.at.end() && fixed->second != label) return nullptr;
        if (experiment.axes[axis].name == table.along) value = label;
    }
    const std::string& planner = experiment.planners[grid.plannerOf(cell)].label;
    const auto found = std::find_if(
        table.numbers.begin(), table.numbers.end(),
        [&](const PrintedNumber& number) { return number.planner == planner && number.value == value; });
    return found == table.numbers.end() ? nullptr : &*found;
}

}  // namespace

std::vector<CellResult> printedCells(const Grid& grid) {
    std::vector<CellResult> cells(grid.cellCount());
    for (const PrintedTable& table : grid.experiment().printed)
        for (std::size_t cell = 0; cell < cells.size(); ++cell) {
            const PrintedNumber* number = numberAt(grid, table, cell);
            if (!number) continue;
            if (number->number) {
                cells[cell].status = CellStatus::ok;
                cells[cell].metrics[table.metric] = *number->number;
            } else {
                cells[cell] = {CellStatus::infeasible, "memory ran out in the source", {}};
            }
        }
    return cells;
}

const PrintedTable* printedTable(const Grid& grid, std::size_t cell, const std::string& metric) {
    const auto& tables = grid.experiment().printed;
    const auto found = std::find_if(tables.rbegin(), tables.rend(), [&](const PrintedTable& table) {
        return table.metric == metric && numberAt(grid, table, cell);
    });
    return found == tables.rend() ? nullptr : &*found;
}

std::optional<double> printedNumber(const Grid& grid, std::size_t cell, const std::string& metric) {
    const PrintedTable* table = printedTable(grid, cell, metric);
    return table ? numberAt(grid, *table, cell)->number : std::nullopt;
}

std::vector<std::string> printedMetrics(const Experiment& experiment) {
    std::vector<std::string> names;
    for (const MetricDescription& metric : metricDescriptions())
        if (std::any_of(experiment.printed.begin(), experiment.printed.end(),
                        [&](const PrintedTable& table) { return table.metric == metric.name; }))
            names.push_back(metric.name);
    return names;
}

}  // namespace stagecraft::experiments
