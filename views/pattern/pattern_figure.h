#pragma once

#include "views/figures/axis.h"
#include "views/figures/figure.h"
#include "views/pattern/pattern_chart.h"

namespace stagecraft::views::pattern {

struct PatternFigureOptions {
    double widthMm = 88.9;
    double fontPt = 7;
    double numberPt = 7;  ///< of the names and index shifts in blocks
    double laneMm = 0;    ///< height of a processor's lane; 0: as high as its text needs
    bool legend = true;
    std::string laneNames;    ///< LaneNaming, of processors
    std::string legendNames;  ///< renameEntries
    int firstStage = 0;       ///< its number
    bool hatches = true;      ///< that distinguish kinds without colour
    bool grey = false;
};

/// Colours of what is not data.
struct PatternLook {
    QColor ink, muted, grid, lane;
};

struct PatternDrawing {
    Figure figure;
    std::vector<QRectF> blocks;  ///< by block of the chart, in mm
    FigureScale time;            ///< seconds
};

/// One period as in MadPipe's Figs. 2 and 3: a lane a processor and a link, the index shift of each operation
/// in brackets, transfers with round corners; to the right the batches that each stage stores, and brackets
/// around neighbours that make a group.
PatternDrawing drawPattern(const PatternChart& chart, const PatternFigureOptions& options,
                           const PatternLook& look);

/// The same for print. @throws std::invalid_argument if the plan repeats no pattern
Figure patternFigure(const PlanRun& run, const PatternFigureOptions& options = {});

}  // namespace stagecraft::views::pattern
