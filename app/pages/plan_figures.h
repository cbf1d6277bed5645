#pragma once

#include "app/document/workspace.h"
#include "app/figures/figure_source.h"

namespace stagecraft::app::pages {

/// Of all plans of the project that were worked out, well or not.
std::vector<std::shared_ptr<const PlanRun>> runsOf(const Workspace& workspace);
/// Panels of all plans with a timeline, of which those of `ids` are drawn unless others are chosen: their
/// timelines, and of a single one its memory too.
FigureSource panelsOf(const Workspace& workspace, const std::vector<int>& ids);

}  // namespace stagecraft::app::pages
