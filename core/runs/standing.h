#pragma once

#include "core/runs/plan_run.h"

namespace stagecraft::runs {

/// The state of a run, in one notion for tables, trees, tabs, charts, sentences and the command line.
/// From the best to the worst, which is the order in which runs are listed.
enum class Standing {
    fits,          ///< valid, and within the memory of every device
    mayNotRun,     ///< valid, and within memory as counted, but see cautions.h
    doesNotFit,    ///< valid, but some device lacks memory
    invalid,       ///< refused by the validator
    outOfDate,     ///< made for another problem, whether there is a plan or not
    otherProfile,  ///< made for another network
    infeasible,    ///< the planner says that there is no plan
    failed,        ///< the planner or the simulation broke off
};

Standing standingOf(const PlanRun& run);
/// "ok", "may not run", "does not fit", "invalid", "out of date", "of another profile", "infeasible",
/// "failed".
const char* standingName(Standing standing);
/// Whether its numbers are compared with those of others: not where it was made for another problem.
bool isCompared(const PlanRun& run);
/// The standing as a sentence for a person: "Out of date: it was planned for another
/// setup."
std::string standingSentence(const PlanRun& run);
/// For a table that nobody points at: its name and, where there is no plan, why: "infeasible: no partition
/// fits".
std::string standingWithReason(const PlanRun& run);

}  // namespace stagecraft::runs
