#include "views/experiments/results_series.h"

#include <algorithm>

namespace stagecraft {

namespace {

/// All points that differ in their seeds alone.
std::vector<std::size_t> repetitions(const Grid& grid, std::vector<std::size_t> at) {
    const std::vector<Axis>& axes = grid.experiment().axes;
    std::vector<std::size_t> points = {grid.pointAt(at)};
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        if (!axes[axis].seeds) continue;
        std::vector<std::size_t> more;
        for (const std::size_t point : points) {
            std::vector<std::size_t> place = grid.coordinates(point);
            for (place[axis] = 0; place[axis] < axes[axis].values.size(); ++place[axis])
                more.push_back(grid.pointAt(place));
        }
        points = std::move(more);
    }
    return points;
}

}  // namespace

ChartChoice firstChoice(const Experiment& experiment) {
    ChartChoice choice;
    if (!experiment.metrics.empty()) choice.metric = experiment.metrics.front();
    choice.fixed.assign(experiment.axes.size(), 0);
    // The longest axis of numbers says most along a line.
    std::size_t longest = 0;
    for (std::size_t axis = 0; axis < experiment.axes.size(); ++axis) {
        const Axis& one = experiment.axes[axis];
        const std::size_t length = one.seeds ? 0 : one.values.size() + (one.numeric() ? 1000 : 0);
        if (length <= longest) continue;
        longest = length;
        choice.axis = axis;
    }
    return choice;
}

std::vector<ResultsSeries> seriesOf(const Grid& grid, const std::vector<CellResult>& cells,
                                    const ChartChoice& choice) {
    const Experiment& experiment = grid.experiment();
    const bool hasAxis = choice.axis < experiment.axes.size();
    const std::size_t count = hasAxis ? experiment.axes[choice.axis].values.size() : 1;
    std::vector<ResultsSeries> all;
    for (std::size_t planner = 0; planner < experiment.planners.size(); ++planner) {
        ResultsSeries series{QString::fromStdString(experiment.planners[planner].label), {}};
        for (std::size_t value = 0; value < count; ++value) {
            std::vector<std::size_t> at = choice.fixed;
            at.resize(experiment.axes.size(), 0);
            for (std::size_t axis = 0; axis < at.size(); ++axis)
                if (experiment.axes[axis].seeds) at[axis] = 0;
            if (hasAxis) at[choice.axis] = value;
            ResultsPoint point;
            point.value = value;
            double sum = 0;
            for (const std::size_t place : repetitions(grid, at)) {
                const std::size_t cell = grid.cellOf(place, planner);
                const auto number =
                    cells[cell].status == CellStatus::ok ? cells[cell].metric(choice.metric) : std::nullopt;
                if (!number) continue;
                point.least = point.cells.empty() ? *number : std::min(point.least, *number);
                point.most = point.cells.empty() ? *number : std::max(point.most, *number);
                sum += *number;
                point.cells.push_back(cell);
            }
            if (point.cells.empty()) continue;
            point.mean = sum / static_cast<double>(point.cells.size());
            series.points.push_back(std::move(point));
        }
        all.push_back(std::move(series));
    }
    return all;
}

}  // namespace stagecraft
