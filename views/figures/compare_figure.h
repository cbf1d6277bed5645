#pragma once

#include "core/runs/plan_run.h"
#include "views/figures/figure.h"
#include "views/figures/published_times.h"

#include <memory>
#include <string>
#include <vector>

namespace stagecraft::views::figures {

struct CompareFigureOptions {
    double widthMm = 88.9;
    double fontPt = 7;
    double barMm = 0;       ///< what a plan takes of the height; 0: as much as its name needs
    std::string reference;  ///< title of the plan to whose time the others are set in proportion; empty: none
    bool legend = true;
    std::vector<PublishedTime> published{};  ///< marks beside the bars of those plans
};

/// Iteration times of several plans as bars over an axis, fastest first; plans that do not fit or are out of
/// date are hatched, plans without a timeline are listed without a bar.
/// What was published for a plan is a diamond in its row, with its range as an error bar.
/// @throws std::invalid_argument if there are no plans, or none of them with a time is the reference, or has
/// the title of a published time
Figure compareFigure(const std::vector<std::shared_ptr<const PlanRun>>& runs,
                     const CompareFigureOptions& options = {});

}  // namespace stagecraft::views::figures
