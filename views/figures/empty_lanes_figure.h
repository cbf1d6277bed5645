#pragma once

#include "views/figures/schedule_figure.h"

namespace stagecraft::views::figures {

/// What a person draws the plan's schedule into by hand: its lanes and time without the blocks, in cells of
/// which each is as wide as one forward pass, or as several where these are too narrow to write into; a
/// legend of the kinds of passes that there are to draw; and a line for a name. Time ends a third later than
/// the plan does, so that it does not say how long that takes, unless options.timeRangeS is set.
/// @throws std::invalid_argument as scheduleFigure
Figure emptyLanesFigure(const PlanRun& run, const ScheduleFigureOptions& options = {});

}  // namespace stagecraft::views::figures
