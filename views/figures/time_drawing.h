#pragma once

#include "views/figures/axis.h"
#include "views/figures/legend.h"

#include <vector>

namespace stagecraft::views::figures {

/// A drawing over time that still lacks its legend: a figure of its own, or a panel of one that has several.
struct TimeDrawing {
    Figure figure;              ///< its height is where the drawing ends
    FigureScale time;           ///< seconds
    double memoryTopBytes = 0;  ///< what its axis of memory goes up to, where it has one
    int colourSteps = 0;        ///< that its colouring distinguishes
    /// Of blocks, and of memory in rows of their own: they share colours.
    std::vector<std::vector<LegendEntry>> legends;
};

/// Adds to `entries` those of `more` that say something else than all of them do, each at its place.
void addMissing(std::vector<LegendEntry>& entries, const std::vector<LegendEntry>& more);

/// The drawing as a figure, with its legends if they are wanted.
Figure finished(TimeDrawing drawing, bool legend, double fontPt);

}  // namespace stagecraft::views::figures
