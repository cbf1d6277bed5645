#pragma once

#include "core/planners/madpipe/pareto.h"
#include "views/figures/plot_frame.h"

namespace stagecraft {

/// The curve of one kind of allocation.
struct ParetoSeries {
    std::string allocation;  ///< "contiguous" or "madpipe"
    std::vector<ParetoPoint> points;

    QString title() const;
};

struct ParetoFigureOptions {
    double widthMm = 88.9;
    double heightMm = 0;  ///< 0: as high as looks well
    double fontPt = 7;
    bool throughput = false;  ///< samples per second over memory, instead of the period
    int samples = 1;          ///< in a microbatch
    double limitBytes = 0;    ///< a line where the devices' memory ends; 0: none
    bool legend = true;
    bool grey = false;
};

struct ParetoDrawing {
    Figure figure;
    QRectF frameMm;
    FigureScale memory;  ///< bytes
    FigureScale value;   ///< seconds or samples per second

    QPointF at(const ParetoPoint& point, const ParetoFigureOptions& options) const;
};

/// Memory per device against period, as stairs: between two points the one that needs less is the best.
/// Dashed is what the first phase expected of a plan, solid what was possible.
ParetoDrawing drawPareto(const std::vector<ParetoSeries>& series, const ParetoFigureOptions& options,
                         const PlotLook& look);

/// The same for print. @throws std::invalid_argument if there is no point
Figure paretoFigure(const std::vector<ParetoSeries>& series, const ParetoFigureOptions& options = {});

QColor paretoColour(const std::string& allocation, bool dark);

}  // namespace stagecraft
