#pragma once

#include "core/runs/plan_run.h"
#include "views/figures/figure.h"
#include "views/topology/server_groups.h"

#include <memory>

namespace stagecraft::views::topology {

struct ClusterFigureOptions {
    double widthMm = 88.9;  ///< as for schedules: a column of an IEEE paper
    double fontPt = 7;      ///< of all text; what has no room at that size is listed below
    bool legend = true;     ///< the stages of the plan, if there is one
    bool grey = false;
    FoldChoice folding = {};  ///< what of a large cluster is drawn by itself
};

/// The cluster as the canvas draws it, in the colours of paper: with a run its devices are coloured by stage.
/// Without one, where names have no room, one of servers that are alike is drawn in full, and the others as
/// boxes that say how many they are.
/// @throws std::invalid_argument if the cluster is empty, or width or font size is out of bounds
Figure clusterFigure(const Cluster& cluster, std::shared_ptr<const PlanRun> run,
                     const ClusterFigureOptions& options = {});

}  // namespace stagecraft::views::topology
