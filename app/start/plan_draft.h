#pragma once

#include "app/start/plan_sources.h"
#include "core/planners/memory_outlook.h"
#include "core/programs/automatic_project.h"
#include "core/programs/configuration_check.h"
#include "core/programs/configured_plan.h"

#include <set>
#include <string>

namespace stagecraft::app::start {

/// What is chosen for a plan.
struct PlanRequest {
    ModelSource model;
    MachineSource machines;
    ParameterValues modelValues, machineValues;
    std::set<std::string> said;                               ///< model values that no proposal replaces
    ParameterValues setup;                                    ///< the fields of the setup that the form has
    std::shared_ptr<const Configuration> configuration = {};  ///< whose plan is wanted; null: planners'
    std::string configurationName = {};                       ///< for complaints
};

/// The problem that it makes, and what is known of its memory.
struct PlanDraft {
    Problem problem;
    ParameterValues modelValues;  ///< with what was taken of `proposed`
    /// What follows from the machines and the configuration: GPU, precision, sequence length, …
    ParameterValues proposed;
    MemoryOutlook outlook;
    std::vector<MemoryRemedy> remedies;        ///< where it is not known to fit
    std::optional<ConfiguredPlan> configured;  ///< the configuration's plan, for the same problem
    std::optional<ConfigurationCheck> check;   ///< of that plan; nothing: `failure`
    std::string failure;                       ///< why it cannot be simulated
};
/// @throws std::exception with a sentence: what the sources throw, or why nothing can be planned on it;
/// base::Cancelled
PlanDraft draftOf(const PlanRequest& request, const WorkContext& context);

/// A search over the layouts of its model, machines and batch: of a model that is computed times are computed
/// at each size of a microbatch. What the setup says of ZeRO and recomputation is searched. @throws as
/// draftOf
AutoQuestion questionOf(const PlanRequest& request, const PlanDraft& draft);

/// What came of a search.
struct LayoutSearch {
    AutoQuestion question;
    AutoAnswer answer;
    std::optional<PlannersAnswer> planners;  ///< where they were run too

    bool hasPlan() const { return answer.best || (planners && planners->faster); }
    /// There must be a plan.
    Project project() const;
};
/// @param withPlanners whether each planner is run too, where it may be faster @throws base::Cancelled
LayoutSearch searchLayouts(AutoQuestion question, bool withPlanners, const WorkContext& context);

}  // namespace stagecraft::app::start
