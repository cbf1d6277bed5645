#pragma once

#include "core/runs/plan_run.h"
#include "views/figures/figure.h"

namespace stagecraft::views::figures {

struct PartitionFigureOptions {
    double widthMm = 88.9;
    double fontPt = 7;
    double numberPt = 7;  ///< of the layers' numbers
    double laneMm = 0;    ///< height of the ribbon; 0: as high as its text needs
    bool legend = true;
    std::string legendNames;  ///< renameEntries
    int firstStage = 0;       ///< its number
};

/// How the layers are divided into stages: the layers of each pipeline as a ribbon, as wide as the time that
/// they take; above each stage its devices, below it what a microbatch takes there, forward and backward,
/// against the slowest stage. @throws std::invalid_argument if the plan has no stages or width or type are
/// out of bounds
Figure partitionFigure(const PlanRun& run, const PartitionFigureOptions& options = {});

}  // namespace stagecraft::views::figures
