#pragma once

#include "core/experiments/cell_result.h"
#include "core/experiments/grid.h"

#include <optional>
#include <vector>

namespace stagecraft::experiments {

/// What the source prints, as if it had been a run of the grid: a cell has the metrics that are printed for
/// it, is infeasible where memory ran out, and open where nothing is printed.
std::vector<CellResult> printedCells(const Grid& grid);
/// The table that has the cell's metric; of several the last, as in printedCells(). nullptr: none.
const PrintedTable* printedTable(const Grid& grid, std::size_t cell, const std::string& metric);
/// The number of that table; nothing: none, or memory ran out in the source.
std::optional<double> printedNumber(const Grid& grid, std::size_t cell, const std::string& metric);
/// Metrics that are printed for some cell, in the order of metricDescriptions().
std::vector<std::string> printedMetrics(const Experiment& experiment);

}  // namespace stagecraft::experiments
