#pragma once

#include "core/analysis/plan_difference.h"
#include "core/runs/plan_run.h"

#include <memory>
#include <string>
#include <vector>

namespace stagecraft::runs {

using PlanRuns = std::vector<std::shared_ptr<const PlanRun>>;

/// Index of the plan that speed-ups and percentages of the others are against, -1 for none: the one that a
/// person chose, if it has a timeline; else the slowest that fits into memory (the slowest of all, if none
/// does). A plan made for another problem is no reference unless a person chooses it.
/// @param chosen index of a person's choice; -1: there is none
int referencePlan(const PlanRuns& runs, int chosen = -1);

/// By what a run is told apart from others; the run is ok().
PlanOutcome outcomeOf(const PlanRun& run);
/// How `run` differs from `reference`, in words; empty where they are not compared, or are one plan.
std::string differenceInWords(const PlanRun& run, const PlanRun& reference);

/// Why `metric` has no value for `run`, as a sentence: "No plan (stage 1 needs 18.0 GiB)."
std::string whyMissing(const Metric& metric, const PlanRun& run);

}  // namespace stagecraft::runs
