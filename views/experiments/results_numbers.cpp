#include "views/experiments/results_numbers.h"

#include <limits>
#include <unordered_map>

namespace stagecraft::views::experiments {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::size_t metricIndex(const std::string& name) {
    static const std::unordered_map<std::string, std::size_t> places = [] {
        std::unordered_map<std::string, std::size_t> all;
        for (const MetricDescription& metric : metricDescriptions()) all.emplace(metric.name, all.size());
        return all;
    }();
    const auto found = places.find(name);
    return found == places.end() ? 0 : found->second;
}

ResultsNumbers::ResultsNumbers(const std::vector<CellResult>& cells)
    : status_(cells.size(), CellStatus::open),
      columns_(metricDescriptions().size(), std::vector<double>(cells.size(), none)) {
    for (std::size_t cell = 0; cell < cells.size(); ++cell)
        if (cells[cell].status != CellStatus::open) set(cell, cells[cell]);
}

void ResultsNumbers::set(std::size_t cell, const CellResult& result) {
    status_[cell] = result.status;
    for (auto& column : columns_) column[cell] = none;
    for (const auto& [name, value] : result.metrics) columns_[metricIndex(name)][cell] = value;
}

double ResultsNumbers::ofPlan(std::size_t metric, std::size_t cell) const {
    return status_[cell] == CellStatus::ok ? columns_[metric][cell] : none;
}

}  // namespace stagecraft::views::experiments
