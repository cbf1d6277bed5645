#pragma once

#include "app/figures/figure_source.h"

namespace stagecraft {

/// The blocks as CSV and as a trace for Perfetto, both with what each one waits for, written part by part.
std::vector<FigureTable> planTables(std::shared_ptr<const PlanRun> run);
/// Bandwidths between devices, as CSV.
FigureTable bandwidthTable(std::shared_ptr<const Cluster> cluster);

}  // namespace stagecraft
