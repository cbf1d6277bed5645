#pragma once

#include "app/start/plan_sources.h"
#include "core/planners/memory_outlook.h"

namespace stagecraft::app::start {

/// What is chosen for a plan.
struct PlanRequest {
    ModelSource model;
    MachineSource machines;
    ParameterValues modelValues, machineValues;
    bool usualGpu = true;        ///< times are for the machines' GPU
    bool usualPrecision = true;  ///< the precision that this GPU is used with
    ParameterValues setup;       ///< the fields of the setup that the form has
};

/// The problem that it makes, and what is known of its memory.
struct PlanDraft {
    Problem problem;
    ParameterValues modelValues;  ///< with the GPU and the precision that were taken
    MemoryOutlook outlook;
    std::vector<MemoryRemedy> remedies;  ///< where it is not known to fit
};
/// @throws std::exception with a sentence: what the sources throw, or why nothing can be planned on it;
/// base::Cancelled
PlanDraft draftOf(const PlanRequest& request, const WorkContext& context);

}  // namespace stagecraft::app::start
