#include "core/planners/automatic/fitting_plan.h"

#include "core/planners/planned_run.h"
#include "core/simulation/simulator.h"

#include <stdexcept>

namespace stagecraft::planners {

namespace {

constexpr Recomputation recomputations[] = {Recomputation::none, Recomputation::selective,
                                            Recomputation::full};

/// Nothing: the engine does not take it.
std::optional<PlanCourse> courseIfAny(const CostModel& costs, const Plan& plan, const std::stop_token& stop) {
    try {
        return courseOf(costs, plan, CourseOf::devices, stop);
    } catch (const std::invalid_argument&) {
    } catch (const SimulationError&) {
    }
    return std::nullopt;
}

}  // namespace

std::optional<FittingPlan> fittingPlan(const Planner& planner, const CostModel& costs,
                                       const ParameterValues& values, const WorkContext& context,
                                       const std::function<bool(const CostModel&, const Plan&)>& isWanted) {
    const PlannerDescription& about = planner.description();
    for (const Recomputation recomputation : recomputations) {
        context.throwIfStopped();
        TrainingSetup setup = costs.problem().setup;
        setup.recomputation = recomputation;
        FittingPlan made{std::make_shared<const CostModel>(costs.withSetup(setup)), {}, {}};
        made.answer = planWith(planner, *made.costs, values, {context.stop, {}});
        if (made.answer.status == PlanStatus::ok) {
            // With more of it computed again it takes no less.
            if (isWanted && !isWanted(*made.costs, made.answer.plan)) return std::nullopt;
            const std::optional<PlanCourse> course = courseIfAny(*made.costs, made.answer.plan, context.stop);
            if (course && course->lackingBytes <= 0) {
                made.course = *course;
                return made;
            }
            if (!course && !about.checksMemory) return std::nullopt;
        } else if (!about.checksMemory) {
            return std::nullopt;  // for another reason than memory
        }
        if (about.plansForMemory) return std::nullopt;  // it computes again what it must
    }
    return std::nullopt;
}

}  // namespace stagecraft::planners
