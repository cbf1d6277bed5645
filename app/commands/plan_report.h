#pragma once

#include "app/rooms.h"
#include "core/base/table_formats.h"
#include "core/planners/planner.h"
#include "core/runs/plan_run.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace stagecraft::app::commands {

/// A planner that was asked, and what came of it.
struct PlannerOutcome {
    std::string planner;  ///< id
    PlanRun run;
};

/// Whether the planner has no plan because it trains without a barrier and the setup keeps one.
bool lacksAsynchronousMode(const PlannerOutcome& outcome);
/// Where all planners were asked: takes out those that lack it, and returns them.
std::vector<const Planner*> takeLeftOut(std::vector<PlannerOutcome>& outcomes);

/// {"results": […]} as FORMATS.md has it. A number that is not finite or not known is null.
/// @param reference what the plans are compared with, one of the outcomes; null: they are not
std::string planReportJson(const std::vector<PlannerOutcome>& outcomes,
                           const PlannerOutcome* reference = nullptr);
/// The plans as rows. @param reasons with the status, where there is no plan: for a table that stands alone
TextCells planCells(const std::vector<PlannerOutcome>& outcomes, const PlannerOutcome* reference,
                    bool reasons);
/// "Not run: …" for those that takeLeftOut took; nothing where it took none.
void printLeftOut(const std::vector<const Planner*>& leftOut, std::ostream& out);
/// The table alone, and below it which planners were not asked because the setup rules them out.
void printPlanTable(const std::vector<PlannerOutcome>& outcomes, const std::vector<const Planner*>& leftOut,
                    std::ostream& out, const PlannerOutcome* reference = nullptr);
/// The same with what a table has no room for: reasons, what does not fit, what does not hold.
void printPlanReport(const std::vector<PlannerOutcome>& outcomes, const std::vector<const Planner*>& leftOut,
                     std::ostream& out, const PlannerOutcome* reference = nullptr);

/// The plan's own name, else the planner's id.
std::string nameOf(const PlannerOutcome& outcome);
/// Null where no reference is asked for. @throws UsageError if none of the outcomes has that name or planner
const PlannerOutcome* referenceAmong(const std::vector<PlannerOutcome>& outcomes,
                                     const std::optional<std::string>& name);
/// What metrics are read off, beside `reference` where the two are compared.
MeasuredPlan measuredBeside(const PlanRun& run, const MeasuredPlan* reference);

/// XPipe's version differences of a plan that predicts weights: a table for people. Prints nothing for
/// others.
void printVersionTable(const PlanRun& run, std::ostream& out);
/// The same as FORMATS.md has it; null for plans that predict nothing.
nlohmann::ordered_json versionTableJson(const PlanRun& run);

}  // namespace stagecraft::app::commands
