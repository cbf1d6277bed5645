#pragma once

#include "core/planners/madpipe/pareto.h"
#include "views/figures/plot_frame.h"

namespace stagecraft::views::pareto {

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

/// What the axes of the curves show, with some air around all points.
struct ParetoAxes {
    PlotScale memory;  ///< bytes
    PlotScale value;   ///< seconds or samples per second
    QString memoryTitle, valueTitle;
    std::string valueUnit;
};
ParetoAxes paretoAxes(const std::vector<ParetoSeries>& series, const ParetoFigureOptions& options);

/// What is drawn over the memory: the period, or how many samples pass in a second.
double paretoValue(double periodS, const ParetoFigureOptions& options);

/// Only where an expectation and what became of it differ it is drawn.
bool expectationDiffers(const ParetoSeries& series);
QString expectationTitle();

/// Memory per device against period, as stairs: between two points the one that needs less is the best.
/// Dashed is what the first phase expected of a plan, solid what was possible.
/// @throws std::invalid_argument if there is no point
Figure paretoFigure(const std::vector<ParetoSeries>& series, const ParetoFigureOptions& options = {});

QColor paretoColour(const std::string& allocation, bool dark);

}  // namespace stagecraft::views::pareto
