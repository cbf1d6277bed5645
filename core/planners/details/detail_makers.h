#pragma once

#include "core/base/parameters.h"
#include "core/base/work_context.h"
#include "core/planners/details/detail_table.h"
#include "core/runs/plan_run.h"

namespace stagecraft::planners {

// PlanDetail::make of each kind.
DetailTable memoryByStage(const PlanRun& run, std::size_t most, const WorkContext& context);
DetailTable sppValues(const PlanRun& run, std::size_t most, const WorkContext& context);
DetailTable pePasses(const PlanRun& run, std::size_t most, const WorkContext& context);
DetailTable pipeDreamValues(const PlanRun& run, std::size_t most, const WorkContext& context);
DetailTable madPipePeriods(const PlanRun& run, std::size_t most, const WorkContext& context);
DetailTable madPipeStates(const PlanRun& run, std::size_t most, const WorkContext& context);
DetailTable madPipeSpecial(const PlanRun& run, std::size_t most, const WorkContext& context);
DetailTable vpipeEdges(const PlanRun& run, std::size_t most, const WorkContext& context);
DetailTable vpipeNodes(const PlanRun& run, std::size_t most, const WorkContext& context);
DetailTable vpipeMessages(const PlanRun& run, std::size_t most, const WorkContext& context);

/// The parameters that the plan's planner was given, the usual ones where it says none.
ParameterValues parametersOf(const PlanRun& run);

}  // namespace stagecraft::planners
