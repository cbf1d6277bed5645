#pragma once

#include "core/experiments/cell_result.h"
#include "views/rooms.h"

#include <vector>

namespace stagecraft::views::experiments {

/// The numbers of an experiment's cells, a column a metric: fit to be asked for all cells in every frame.
class ResultsNumbers {
public:
    ResultsNumbers() = default;
    explicit ResultsNumbers(const std::vector<CellResult>& cells);

    void set(std::size_t cell, const CellResult& result);
    std::size_t cellCount() const { return status_.size(); }
    CellStatus status(std::size_t cell) const { return status_[cell]; }
    /// @param metric its index in metricDescriptions() @return NaN where the cell does not have it
    double at(std::size_t metric, std::size_t cell) const { return columns_[metric][cell]; }
    /// NaN unless the cell has a plan that keeps the rules.
    double ofPlan(std::size_t metric, std::size_t cell) const;

private:
    std::vector<CellStatus> status_;
    std::vector<std::vector<double>> columns_;
};

/// The metric's place in metricDescriptions(); of a name that is none, the first.
std::size_t metricIndex(const std::string& name);

}  // namespace stagecraft::views::experiments
