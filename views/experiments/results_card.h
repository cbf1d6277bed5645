#pragma once

#include "views/experiments/results_series.h"

#include <QString>

namespace stagecraft::views::experiments {

/// A number as people read it: "531 ms", "9.4 GiB", "0.27".
QString numberText(double value, const std::string& unit);

/// Everything about a point as rich text: planner, coordinates, and all of its metrics, over several seeds
/// their mean, the drawn one first with its spread.
/// @param reason why there is no plan, if there is none
QString resultsCard(const Grid& grid, const ResultsNumbers& numbers, const ChartChoice& choice,
                    const ResultsSeries& series, const ResultsPoint& point, const QString& reason);

}  // namespace stagecraft::views::experiments
