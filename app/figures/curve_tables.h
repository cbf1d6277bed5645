#pragma once

#include "app/figures/figure_part.h"
#include "core/analysis/link_curves.h"
#include "core/runs/plan_run.h"

#include <memory>

namespace stagecraft::app::figures {

/// The memory of devices over time as CSV.
FigureTable memoryTable(std::shared_ptr<const PlanRun> run);
/// The load of links over time, as CSV and as JSON (FORMATS.md).
std::vector<FigureTable> linkTables(std::shared_ptr<const PlanRun> run);

/// Those that there are.
std::vector<std::string> curveTableIds();

/// What of a plan's links a part is about, by their first way. @throws std::invalid_argument for a link that
/// is none of them
std::vector<LinkUse> linksOf(const PlanRun& run, const FigurePart& part);
/// The number (FigurePart::link) of the link that carries something of the plan between these two ends, by
/// their ids, "host" among them; nothing if none does.
std::optional<int> linkBetween(const PlanRun& run, const std::string& from, const std::string& to);
/// The ids of its ends, by its number. @throws std::invalid_argument for one that there is not
std::pair<std::string, std::string> endsOfLink(const PlanRun& run, int link);

}  // namespace stagecraft::app::figures
