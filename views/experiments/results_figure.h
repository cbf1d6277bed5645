#pragma once

#include "views/experiments/results_drawing.h"

namespace stagecraft::views::experiments {

/// Results in the kind of chart that is chosen:
/// lines, with quartiles and extremes over seeds as bands; bars, with those as a box and whiskers; colours
/// over two axes, where what has no plan is hatched; one metric against another with the front of those
/// points that none outdoes. Planners differ in sign or hatch as well as in colour.
ResultsDrawing drawResults(const Grid& grid, const std::vector<ResultsSeries>& series,
                           const ChartChoice& choice, const ResultsFigureOptions& options,
                           const PlotLook& look);
/// The same for print. @throws std::invalid_argument if there is no result to draw
Figure resultsFigure(const Grid& grid, const std::vector<CellResult>& cells, const ChartChoice& choice,
                     const ResultsFigureOptions& options = {});

}  // namespace stagecraft::views::experiments
