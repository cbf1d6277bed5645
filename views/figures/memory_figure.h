#pragma once

#include "views/figures/schedule_figure.h"

namespace stagecraft::views::figures {

/// The memory of devices over time, stacked by what fills it, one panel per device (or neighbours that fill
/// up alike) on one time axis and one scale, in the order of the stages. Of the options those count that have
/// to do with size, type, time, axis and legend, and `lanes`: the devices that work there. `memoryDevice` -1
/// draws all that hold a stage. With `memoryLines` they are lines in one frame, without what fills the memory
/// and without what swap and recompute save.
/// @throws std::invalid_argument as scheduleFigure does, or if no device is left
TimeDrawing drawMemory(const PlanRun& run, const ScheduleFigureOptions& options);
/// The same with its legend.
Figure memoryFigure(const PlanRun& run, const ScheduleFigureOptions& options = {});

}  // namespace stagecraft::views::figures
