#pragma once

#include "app/figures/figure_part.h"
#include "core/runs/shown_run.h"

#include <memory>

namespace stagecraft::app::figures {

/// The blocks as CSV and as a trace for Perfetto, both with what each one waits for, written part by part;
/// the order of passes for engines and spreadsheets.
std::vector<FigureTable> planTables(std::shared_ptr<const PlanRun> run);
/// Of a recording its blocks as CSV and as a trace, with what they waited for where it is known.
std::vector<FigureTable> recordingTables(std::shared_ptr<const RecordedRun> recorded);
/// Those of every plan, in the same order.
std::vector<std::string> planTableIds();
/// Bandwidths between devices, as CSV.
FigureTable bandwidthTable(std::shared_ptr<const Cluster> cluster);

}  // namespace stagecraft::app::figures
