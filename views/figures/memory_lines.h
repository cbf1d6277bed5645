#pragma once

#include "views/figures/memory_panel.h"
#include "views/figures/time_drawing.h"

#include <vector>

namespace stagecraft::views::figures {

/// What one line shows: the bytes that a device holds, and what it is called.
struct MemoryLine {
    const MemoryCurve* curve = nullptr;
    QString name;
};

/// What the axis of a frame of lines needs to its left, millimetres.
double memoryLinesLabelMm(double fontPt);

/// The memory of several devices as lines in one frame: a line's lightness and dashes say whose it is. Limits
/// up to `topBytes` are dashed, once each; those above it are written, once for all. @return its legend
std::vector<LegendEntry> addMemoryLines(Figure& figure, const std::vector<MemoryLine>& lines,
                                        const QRectF& frame, const FigureScale& time, double fontPt,
                                        double topBytes);

}  // namespace stagecraft::views::figures
