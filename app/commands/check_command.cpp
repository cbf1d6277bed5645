#include "app/commands/command.h"
#include "app/commands/inputs.h"
#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/planners/planned_run.h"

namespace stagecraft::app::commands {

namespace {

/// What the validator says of the stages alone, for a plan that has no timeline.
void printStructuralViolations(const Problem& problem, const Plan& plan, std::ostream& out) {
    for (const Violation& violation : validate(problem, plan, Timeline{}))
        if (violation.rule == Rule::layerCoverage || violation.rule == Rule::knownDevices)
            out << ruleName(violation.rule) << ": " << violation.message << "\n";
}

int runCheck(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    arguments.refuseMoreThan(1);
    const std::string& path = arguments.positionalAt(0, "PLAN");
    const PlansInput input = plansFrom(path);
    const std::size_t index = chosenPlan(arguments, input.plans, path);
    const Plan& plan = input.plans[index];
    const PlanAge age = checkAge(input, index, path, err);
    const PlanRun planRun = evaluatePlan(input.costs, plan);
    if (!planRun.ok()) {
        printStructuralViolations(input.costs->problem(), plan, out);
        out << "simulation: " << planRun.result.reason << "\n";
        return exitFailed;
    }
    for (const Violation& violation : planRun.evaluation->violations)
        out << ruleName(violation.rule) << ": " << violation.message << "\n";
    if (age == PlanAge::otherProfile)
        out << "other profile: the plan was made for a network with other layers\n";
    if (!planRun.evaluation->valid() || age == PlanAge::otherProfile) return exitFailed;
    out << "plan and timeline are valid: " << counted(planRun.evaluation->timeline.blockCount(), "block")
        << ", " << formatSeconds(planRun.iterationTimeS()) << " per iteration\n";
    return exitDone;
}

}  // namespace

Command checkCommand() {
    return {"check",
            {"PLAN [--plan NAME|INDEX]"},
            "Simulates a plan and checks every rule; prints one line per violation.",
            {planOption},
            &runCheck};
}

}  // namespace stagecraft::app::commands
