#pragma once

#include "views/experiments/results_series.h"
#include "views/figures/plot_frame.h"

#include <QRectF>

namespace stagecraft::views::experiments {

struct ResultsFigureOptions {
    double widthMm = 88.9;
    double heightMm = 0;  ///< 0: as high as looks well
    double fontPt = 7;
    bool legend = true;
    bool grey = false;
    /// The part of the axes that is drawn, in shares of their lengths, from the lower left corner.
    QRectF part = QRectF(0, 0, 1, 1);
};

/// A point of a series.
struct ResultsPlace {
    std::size_t series = 0, point = 0;
    bool operator==(const ResultsPlace&) const = default;
};

struct ResultsDrawing {
    Figure figure;
    std::vector<std::vector<QPointF>> pointsMm;  ///< by series and point: where it is drawn
    std::vector<QRectF> framesMm;                ///< by panel; without titles and labels
    QSizeF cellMm;                               ///< of a heat map; else empty
};

/// Of the planner with that number in its experiment; Okabe and Ito's seven, then four after Tol's schemes.
QColor seriesColour(std::size_t planner, bool dark);

/// "Iteration time", "Iteration time, SPP over GPipe"
QString metricText(const Grid& grid, const ChartChoice& choice);
/// An axis' name, with its unit where the labels of its values do not say it.
QString axisText(const Axis& axis);

}  // namespace stagecraft::views::experiments
