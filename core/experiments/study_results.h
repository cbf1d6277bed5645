#pragma once

#include "core/experiments/cell_result.h"
#include "core/experiments/experiment.h"
#include "core/experiments/study.h"

#include <vector>

namespace stagecraft::experiments {

/// Runs what a planner is asked at a point once and reads it off several times.
/// @param values the planner's parameters, with the defaults filled in
/// @param readings the study, at least one; they differ in nothing but what readsOff() says
/// @param metrics that the experiment names: of those that cells of a plan have only where they are asked for
/// @return by reading @throws Cancelled, and what planners, the simulation and training throw
std::vector<CellResult> studyResults(const Problem& problem, const AskedPlanner& asked,
                                     const ParameterValues& values, const std::vector<Study>& readings,
                                     const std::vector<std::string>& metrics, const WorkContext& context);

/// The plan of a cell. In a study of the largest microbatch the plan at that one, else what the planner
/// gives for the problem as it is before anything is trained or changes.
PlanRun planOfStudy(const Problem& problem, const AskedPlanner& asked, const ParameterValues& values,
                    const Study& study, const WorkContext& context);

}  // namespace stagecraft::experiments
