#pragma once

#include "views/experiments/results_series.h"
#include "views/figures/axis.h"
#include "views/figures/figure.h"

#include <optional>

namespace stagecraft {

struct ResultsFigureOptions {
    double widthMm = 88.9;
    double heightMm = 0;  ///< 0: as high as looks well
    double fontPt = 7;
    bool legend = true;
    bool grey = false;
};

/// Colours of what is not data.
struct ResultsLook {
    QColor ink, muted, grid, surface;
    bool dark = false;
};

/// A point of a series.
struct ResultsPlace {
    std::size_t series = 0, point = 0;
    bool operator==(const ResultsPlace&) const = default;
};

struct ResultsDrawing {
    Figure figure;
    std::vector<std::vector<QPointF>> pointsMm;  ///< by series and point: where it is drawn
};

/// A metric along an axis. Numbers become lines, with their spread over seeds as a band; names become bars,
/// with whiskers. Lines of different planners differ in sign as well as in colour.
ResultsDrawing drawResults(const Grid& grid, const std::vector<ResultsSeries>& series,
                           const ChartChoice& choice, const ResultsFigureOptions& options,
                           const ResultsLook& look);
/// The same for print. @throws std::invalid_argument if there is no point
Figure resultsFigure(const Grid& grid, const std::vector<CellResult>& cells, const ChartChoice& choice,
                     const ResultsFigureOptions& options = {});

/// Of the planner with that number in its experiment; Okabe and Ito's.
QColor seriesColour(std::size_t planner, bool dark);

}  // namespace stagecraft
