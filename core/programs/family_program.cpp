#include "core/programs/family_program.h"
#include "core/planners/planned_run.h"

#include "core/base/indices.h"
#include "core/runs/chosen_schedule.h"
#include "core/runs/server_order.h"
#include "core/programs/planner_program.h"
#include "core/programs/program_answer.h"
#include "core/schedules/device_orders.h"

#include <algorithm>

namespace stagecraft::programs {

FamilyProgram::FamilyProgram(ProgramFile program, std::string id, const ProgramDescription& described)
    : program_(std::move(program)), id_(std::move(id)), described_(described) {
    described_.parameters.push_back(timeLimitParameter());
}

PlanRun FamilyProgram::evaluateUnder(const std::shared_ptr<const CostModel>& costs, Plan plan,
                                     const ParameterValues& values, const WorkContext& context) const {
    PlanRun none;
    none.costs = costs;
    none.microbatchesAsked = costs->problem().setup.microbatches;
    none.result.plan.name = plan.name;
    try {
        const Problem& problem = costs->problem();
        ScheduleShape shape = shapeOf(plan.stages, problem.setup.microbatches);
        plan.schedule = {};
        shape.times = passTimes(*costs, plan, StageEdges(*costs, plan));
        ProgramLimits limits;
        limits.timeS = std::get<double>(values.at(timeLimitName));
        const std::string text =
            runProgram(program_, {}, ordersRequest(problem, plan.stages, shape, values), limits, context);
        const OrdersAnswer answer = readOrdersAnswer(text, program_.name, shape);
        if (answer.refused) {
            none.result.status = PlanStatus::infeasible;
            none.result.reason = *answer.refused;
            return none;
        }
        ExplicitSchedule schedule;
        for (const std::vector<Task>& order : answer.orders)
            schedule.slices = std::max(schedule.slices, slicesNamed(order));
        for (int s = 0; s < plan.stageCount(); ++s)
            for (const int device : plan.stages[at(s)].devices)
                schedule.orders[device] = answer.orders[at(shape.rankOf[at(s)])];
        schedule.vocabulary = vocabularyNamed(schedule);
        plan.schedule = {std::move(schedule)};
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        none.result.status = PlanStatus::failed;
        none.result.reason = error.what();
        return none;
    }
    PlanRun run = evaluatePlan(costs, plan, context);
    if (!run.ok()) run.result.reason = program_.name + ": /orders: " + run.result.reason;
    if (run.ok() && !run.evaluation->valid())
        run.result.notes.push_back(program_.name +
                                   ": /orders: " + run.evaluation->violations.front().message);
    return run;
}

PlanRun FamilyProgram::evaluateEqualLayers(const std::shared_ptr<const CostModel>& costs,
                                           const ParameterValues& values, const WorkContext& context) const {
    Plan plan;
    plan.name = described_.title;
    plan.stages = equalLayers(costs->layerCount(), std::min(costs->deviceCount(), costs->layerCount()));
    const std::vector<int> byServer = runs::devicesByServer(costs->problem().cluster);
    for (int s = 0; s < plan.stageCount(); ++s) plan.stages[at(s)].devices = {byServer[at(s)]};
    return evaluateUnder(costs, std::move(plan), values, context);
}

FamilyProgram familyAt(const std::string& id, const std::filesystem::path& directory) {
    const ProgramFile program = programOf(id, directory);
    const ProgramDescription described = describe(program);
    if (described.kind == ProgramKind::planner)
        throw std::runtime_error(program.name +
                                 " is a planner; expected a schedule family (--planner takes it)");
    return {program, id, described};
}

}  // namespace stagecraft::programs
