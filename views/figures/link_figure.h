#pragma once

#include "core/analysis/link_curves.h"
#include "views/figures/schedule_figure.h"

namespace stagecraft::views::figures {

/// Beyond this many links the busiest alone have a panel.
inline constexpr int mostLinkPanels = 8;

/// Whether a link of the plan carries any bytes, without which there is nothing to draw.
bool linksCarrySomething(const PlanRun& run);

/// The load of links over time as shares of their bandwidth, stacked by what travels, one panel per link and
/// direction (or those that carry the same) on one time axis, the busiest first. Where transfers are too
/// narrow to be told apart, a tenth of a millimetre shows its mean. Of the options those count that have to
/// do with size, type, time, axis and legend, and `lanes`: the links that these use.
/// @param link by index into linkUses, drawn alone; -1: the busiest
/// @throws std::invalid_argument as scheduleFigure does, or if no link that is asked for carries anything
TimeDrawing drawLinks(const PlanRun& run, const ScheduleFigureOptions& options, int link);
/// The same with its legend.
Figure linkFigure(const PlanRun& run, const ScheduleFigureOptions& options = {}, int link = -1);

}  // namespace stagecraft::views::figures
