#pragma once

#include "core/experiments/grid.h"
#include "tests/support/window_rooms.h"
#include "core/experiments/results.h"
#include "tests/core/experiments/experiment_fixtures.h"
#include "views/experiments/chart_choice.h"

#include <cmath>
#include <functional>
#include <memory>
#include <string>

namespace stagecraft {

/// "[1, 2, …, count]"
inline std::string countedValues(int count) {
    std::string values;
    for (int i = 1; i <= count; ++i) values += (i > 1 ? "," : "") + std::to_string(i);
    return "[" + values + "]";
}

/// Axes of that many microbatches and bandwidths, and that many seeds.
inline std::string twoAxes(int microbatches, int bandwidths, int seeds = 0) {
    std::string axes = R"([{"name": "microbatches", "pointer": "/setup/microbatches", "values": )" +
                       countedValues(microbatches) +
                       R"(}, {"name": "network", "unit": "B/s", "pointer":
        "/cluster/links/0/bandwidth_Bps", "values": )" +
                       countedValues(bandwidths) + "}";
    if (seeds > 0)
        axes += R"(, {"name": "seed", "pointer": "/profile/microbatch_size", "seeds": )" +
                std::to_string(seeds) + "}";
    return axes + "]";
}

inline std::shared_ptr<const Grid> gridOf(const std::string& axes) {
    return std::make_shared<const Grid>(readExperiment(smallExperiment(axes), "test", {}));
}

/// SPP and GPipe with made-up results: time and memory by coordinates and planner; NaN: no plan fits.
inline std::vector<CellResult> madeUp(
    const Grid& grid, const std::function<double(const std::vector<std::size_t>&, std::size_t)>& seconds) {
    std::vector<CellResult> cells(grid.cellCount());
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
        const std::size_t planner = grid.plannerOf(cell);
        const double time = seconds(grid.coordinates(grid.pointOf(cell)), planner);
        if (std::isfinite(time))
            cells[cell] = {CellStatus::ok,
                           "",
                           {{"iteration_time_s", time},
                            {"peak_memory_bytes", 1e9 / time},
                            {"throughput_samples_per_s", 1 / time}}};
        else
            cells[cell] = {CellStatus::infeasible, "it needs 20 GiB", {}};
    }
    return cells;
}

inline ChartChoice choiceFor(const Grid& grid, ChartKind kind) {
    return ofKind(firstChoice(grid.experiment()), kind, grid.experiment());
}

}  // namespace stagecraft
