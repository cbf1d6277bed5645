#pragma once

#include "core/analysis/mixed_precision.h"
#include "core/runs/plan_run.h"

namespace stagecraft::runs {

/// What a person has to know before believing a run's numbers, a sentence each: a schedule that the network
/// may not be able to run, and memory that is counted too small. The run must be ok.
std::vector<std::string> cautionsOn(const PlanRun& run);

/// What mixed precision would hold where memory is counted too small. The run must be ok.
std::optional<MixedPrecision> mixedPrecisionOf(const PlanRun& run);
/// What marks memory that is counted too small, after the number: "understated", "outputs alone"; empty: all
/// is counted. The run must be ok.
std::string memoryMark(const PlanRun& run);
/// Whether a caution says that it would not fit in mixed precision, or that the network may not be able to
/// run the schedule. The run must be ok.
bool mayNotRun(const PlanRun& run);
/// What its times assume where links are shared; empty: they are not. The run must be ok.
std::string sharedLinksRemark(const PlanRun& run);
/// Which part of the bubbles is recomputation, as lanes show that as busy; empty: little or none. The run
/// must be ok.
std::string recomputationRemark(const PlanRun& run);
/// All that is to be said of a run beside its numbers: these, what recomputation is of its bubbles, what
/// shared links mean, shares of samples that are uneven, and what its planner noted.
std::vector<std::string> remarksOn(const PlanRun& run);

}  // namespace stagecraft::runs
