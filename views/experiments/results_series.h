#pragma once

#include "core/experiments/cell_result.h"
#include "core/experiments/grid.h"

#include <QString>

#include <vector>

namespace stagecraft {

/// What of an experiment's results a chart shows: one metric along one axis, a line for each planner, at one
/// value of each other axis. Seeds are never chosen: a point spans them.
struct ChartChoice {
    std::string metric = "iteration_time_s";
    std::size_t axis = 0;            ///< index; ignored without an axis
    std::vector<std::size_t> fixed;  ///< by axis: the value shown; of `axis` and of seeds ignored
    bool operator==(const ChartChoice&) const = default;
};
/// The first axis that is no repetition, with the metric that the experiment names first.
ChartChoice firstChoice(const Experiment& experiment);

struct ResultsPoint {
    std::size_t value = 0;                 ///< of the axis
    double mean = 0, least = 0, most = 0;  ///< over the seeds that have the metric
    std::vector<std::size_t> cells;        ///< those seeds' cells, in their order
};

/// A planner's points in the order of the axis; those without a plan are left out.
struct ResultsSeries {
    QString title;
    std::vector<ResultsPoint> points;
};

std::vector<ResultsSeries> seriesOf(const Grid& grid, const std::vector<CellResult>& cells,
                                    const ChartChoice& choice);

}  // namespace stagecraft
