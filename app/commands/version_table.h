#pragma once

#include "core/runs/plan_run.h"

#include <nlohmann/json_fwd.hpp>

#include <ostream>

namespace stagecraft::app {

/// XPipe's version differences of a plan that predicts weights: a table for people. Prints nothing for
/// others.
void printVersionTable(const PlanRun& run, std::ostream& out);
/// The same as FORMATS.md has it; null for plans that predict nothing.
nlohmann::ordered_json versionTableJson(const PlanRun& run);

}  // namespace stagecraft::app
