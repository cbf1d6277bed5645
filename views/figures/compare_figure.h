#pragma once

#include "core/planners/plan_run.h"
#include "views/figures/figure.h"

#include <memory>
#include <vector>

namespace stagecraft::views {

/// Iteration times of several plans as bars, fastest first; plans without a timeline are listed without a
/// bar. `barMm`: what a plan takes of the height; 0: as much as its name needs.
Figure compareFigure(const std::vector<std::shared_ptr<const PlanRun>>& runs, double widthMm = 88.9,
                     double fontPt = 7, double barMm = 0);

}  // namespace stagecraft::views
