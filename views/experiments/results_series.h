#pragma once

#include "views/experiments/chart_choice.h"
#include "views/experiments/results_numbers.h"

#include <QString>

#include <optional>
#include <vector>

namespace stagecraft::views::experiments {

/// Some numbers in short.
struct Spread {
    double mean = 0, least = 0, most = 0;
    double lower = 0, upper = 0;  ///< quartiles, between neighbours where they fall between numbers
    std::size_t count = 0;

    /// Of at least one; they are sorted.
    static Spread of(std::vector<double>& numbers);
};

struct ResultsPoint {
    std::size_t value = 0;           ///< of the level axis; pareto: the grid's point of the first seed
    Spread spread;                   ///< of the metric, over the seeds that have it
    Spread across;                   ///< pareto: of the other metric
    std::vector<std::size_t> cells;  ///< those seeds' cells, in their order; without a plan: the first seed's
    CellStatus status = CellStatus::ok;   ///< without a plan (heat alone): why
    std::optional<double> printed;        ///< the source's number, as the metric is shown
    std::optional<double> printedAcross;  ///< pareto: that of the other metric; there where `printed` is
    bool best = false;                    ///< pareto: nothing shown beside it outdoes it
};

/// A planner's points in the order of the axis, those without a plan left out. Of a heat map a row, with all
/// points. Under pareto by the metric that is level.
struct ResultsSeries {
    QString title;
    std::size_t planner = 0;
    std::size_t panel = 0;  ///< the value of the axis that has panels
    std::size_t row = 0;    ///< heat: the value of the upright axis
    std::vector<ResultsPoint> points;
    /// Along an axis: those that were run and have no number; pareto: those of which only the source has.
    std::vector<ResultsPoint> without;
};

/// Panel by panel.
std::vector<ResultsSeries> seriesOf(const Grid& grid, const ResultsNumbers& numbers,
                                    const ChartChoice& choice);

/// Whether the source prints a number for some point, with a plan or without.
bool anyPrinted(const std::vector<ResultsSeries>& series);

/// The largest number of seeds of a point.
std::size_t seedsOf(const std::vector<ResultsSeries>& series);

}  // namespace stagecraft::views::experiments
