#include "core/planners/planned_run.h"
#include "core/programs/any_family.h"

#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/planners/grouped_problem.h"
#include "core/programs/programs_folder.h"
#include "core/runs/arranged_stages.h"
#include "core/runs/chosen_schedule.h"
#include "core/runs/server_order.h"
#include "core/schedules/families.h"

namespace stagecraft::programs {

namespace {

PlanRun noPlan(const std::shared_ptr<const CostModel>& costs, PlanStatus status, const std::string& reason) {
    PlanRun none;
    none.costs = costs;
    none.microbatchesAsked = costs->problem().setup.microbatches;
    none.result.status = status;
    none.result.reason = reason;
    return none;
}

/// What is to be said of equal layers under a family that 1F1B on equal layers would run in less time.
void noteIfSlower(PlanRun& run, const WorkContext& context) {
    const ScheduleFamily& plain = *findScheduleFamily("1f1b");
    if (!run.ok() || isUnder(run.result.plan, plain)) return;
    const Plan equal = madeOnGroups(*run.costs, [&plain](const CostModel& costs) {
        return runs::equalLayersUnder(costs, plain, defaultValues(settingsOf(plain)));
    });
    const PlanRun other = evaluatePlan(run.costs, equal, context);
    constexpr double rounding = 1e-9;
    if (!other.ok() || run.iterationTimeS() <= other.iterationTimeS() * (1 + rounding)) return;
    run.result.notes.push_back("1F1B on equal layers is shorter: " + formatSeconds(other.iterationTimeS()) +
                               " an iteration.");
}

}  // namespace

std::string AnyFamily::id() const {
    if (const ScheduleFamily* family = builtIn()) return family->id;
    if (const CustomSchedule* schedule = custom()) return schedule->name;
    return std::get<std::shared_ptr<const FamilyProgram>>(family_)->id();
}

std::string AnyFamily::title() const {
    if (const ScheduleFamily* family = builtIn()) return shortTitle(*family);
    if (const CustomSchedule* schedule = custom()) return schedule->name;
    return std::get<std::shared_ptr<const FamilyProgram>>(family_)->described().title;
}

std::string AnyFamily::about() const {
    if (const ScheduleFamily* family = builtIn())
        return family->title + (family->paper.empty() ? "" : " (" + family->paper + ")");
    if (const CustomSchedule* schedule = custom())
        return "Custom order, for " + counted(schedule->shape.stages(), "stage") + " on " +
               counted(schedule->shape.ranks, "device") + " and " +
               counted(schedule->shape.microbatches, "microbatch", "microbatches");
    return "Custom program: " + id();
}

std::vector<Parameter> AnyFamily::settings() const {
    if (const ScheduleFamily* family = builtIn()) return settingsOf(*family);
    if (custom()) return {};
    return std::get<std::shared_ptr<const FamilyProgram>>(family_)->parameters();
}

const ScheduleFamily* AnyFamily::builtIn() const {
    const auto* family = std::get_if<const ScheduleFamily*>(&family_);
    return family ? *family : nullptr;
}

const CustomSchedule* AnyFamily::custom() const {
    const auto* schedule = std::get_if<std::shared_ptr<const CustomSchedule>>(&family_);
    return schedule ? schedule->get() : nullptr;
}

PlanRun AnyFamily::evaluateUnder(const std::shared_ptr<const CostModel>& costs, Plan plan,
                                 const std::string& title, const ParameterValues& values,
                                 const WorkContext& context) const {
    plan.name = titleUnder(this->title(), title);
    if (const ScheduleFamily* family = builtIn())
        return evaluatePlan(costs, underSchedule(std::move(plan), *family, values), context);
    if (const auto* program = std::get_if<std::shared_ptr<const FamilyProgram>>(&family_))
        return (*program)->evaluateUnder(costs, std::move(plan), values, context);
    try {
        return evaluatePlan(
            costs, underCustomSchedule(std::move(plan), costs->problem().setup.microbatches, *custom()),
            context);
    } catch (const std::invalid_argument& error) {
        return noPlan(costs, PlanStatus::infeasible, error.what());
    }
}

PlanRun AnyFamily::evaluateArranged(const std::shared_ptr<const CostModel>& costs, const Plan& plan,
                                    const std::string& title, const ParameterValues& values,
                                    const WorkContext& context) const {
    const ScheduleFamily* family = builtIn();
    const std::string arrangement = family ? arrangementOf(plan, *family, values) : "";
    if (arrangement.empty()) return evaluateUnder(costs, plan, title, values, context);
    try {
        PlanRun run =
            evaluateUnder(costs, arrangedUnder(*costs, plan, *family, values), title, values, context);
        run.result.notes.push_back("Done to suit the schedule: " + arrangement + ".");
        return run;
    } catch (const std::invalid_argument& error) {
        return noPlan(costs, PlanStatus::failed,
                      "the schedule '" + family->id + "' does not apply: " + error.what());
    }
}

PlanRun AnyFamily::evaluateEqualLayers(const std::shared_ptr<const CostModel>& costs,
                                       const ParameterValues& values, const WorkContext& context) const {
    const auto evaluated = [&] {
        if (const ScheduleFamily* family = builtIn()) {
            const Plan equal = madeOnGroups(
                *costs, [&](const CostModel& each) { return runs::equalLayersUnder(each, *family, values); });
            PlanRun run = evaluatePlan(costs, equal, context);
            noteIfSlower(run, context);
            return run;
        }
        if (const CustomSchedule* schedule = custom())
            return evaluatePlan(
                costs,
                madeOnGroups(*costs,
                             [schedule](const CostModel& each) { return equalLayersUnder(each, *schedule); }),
                context);
        return std::get<std::shared_ptr<const FamilyProgram>>(family_)->evaluateEqualLayers(costs, values,
                                                                                            context);
    };
    PlanRun run = evaluated();
    const std::string note = runs::serverOrderNote(costs->problem().cluster, run.result.plan);
    if (!note.empty()) run.result.notes.push_back(note);
    return run;
}

std::vector<AnyFamily> allFamilies(const std::filesystem::path& customSchedules) {
    std::vector<AnyFamily> all;
    for (const ScheduleFamily& family : scheduleFamilies()) all.emplace_back(family);
    for (CustomSchedule& schedule : customSchedulesIn(customSchedules)) all.emplace_back(std::move(schedule));
    for (FamilyProgram& program : addedFamilies()) all.emplace_back(std::move(program));
    return all;
}

}  // namespace stagecraft::programs
