#include "core/planners/planner.h"

#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/model/indivisible.h"
#include "core/planners/grouped_problem.h"
#include "core/planners/planning_costs.h"
#include "core/runs/server_order.h"
#include "core/simulation/simulator.h"

#include <algorithm>
#include <map>

namespace stagecraft::planners {

namespace {

PlanningResult withoutPlan(PlanStatus status, const Planner& planner, std::string reason) {
    PlanningResult result;
    result.status = status;
    result.reason = std::move(reason);
    result.plan.planner = planner.description().id;
    return result;
}

/// A plan may claim more than all of its planner's do.
void addClaims(PlanClaims& claims, const PlanClaims& ofAll) {
    claims.oneStagePerDevice |= ofAll.oneStagePerDevice;
    claims.usesEveryDevice |= ofAll.usesEveryDevice;
    claims.fitsMemory |= ofAll.fitsMemory;
}

CostModel synchronousCosts(const CostModel& costs) {
    TrainingSetup setup = costs.problem().setup;
    setup.mode = TrainingMode::synchronous;
    return costs.withSetup(setup);
}

void renumber(std::vector<int>& devices, const std::vector<int>& deviceAt) {
    for (int& device : devices) device = deviceAt[at(device)];
}

void renumber(std::vector<Attempt>& attempts, const std::vector<int>& deviceAt) {
    for (Attempt& attempt : attempts)
        for (Stage& stage : attempt.partition) renumber(stage.devices, deviceAt);
}

PlanningResult renumbered(PlanningResult result, const std::vector<int>& deviceAt) {
    for (Stage& stage : result.plan.stages) renumber(stage.devices, deviceAt);
    if (auto* schedule = std::get_if<ExplicitSchedule>(&result.plan.schedule.order)) {
        std::map<int, std::vector<Task>> orders;
        for (auto& [device, order] : schedule->orders) orders[deviceAt[at(device)]] = std::move(order);
        schedule->orders = std::move(orders);
    }
    renumber(result.attempts, deviceAt);
    renumber(result.rounds, deviceAt);
    renumber(result.deviceOrder, deviceAt);
    return result;
}

/// Again with experts on fewer ranks, where stages have fewer than were asked for: memory that is planned
/// with is to be had.
PlanningResult onGroups(const Planner& planner, const CostModel& costs, const ParameterValues& values,
                        const WorkContext& context) {
    const Group asked = costs.problem().setup.group();
    Group group = asked;
    while (true) {
        Problem problem = costs.problem();
        problem.setup.expert = group.expert;
        if (!group.dividesLayers()) {
            PlanningResult result = runPlanner(planner, costs.withSetup(problem.setup), values, context);
            result.notes.push_back("Stages have too few GPUs to share experts out over " +
                                   std::to_string(asked.expert) + ".");
            return result;
        }
        const GroupedProblem grouped(costs, group);
        PlanningResult result = runPlanner(planner, CostModel(grouped.problem()), values, context);
        const int expert =
            result.status == PlanStatus::ok ? grouped.expertDegreeOf(result.plan) : group.expert;
        if (expert == group.expert) {
            result = grouped.onDevices(std::move(result));
            if (expert < asked.expert)
                result.notes.push_back("Experts are shared out over " + std::to_string(expert) +
                                       " GPUs and not " + std::to_string(asked.expert) +
                                       ": some stage has fewer, or no multiple of that.");
            return result;
        }
        group.expert = expert;
    }
}

/// What is proven and claimed of a plan that a planner made for one speed of each type of GPU
/// (withAverageSpeeds()) need not hold where layers are not equally faster on each.
void sayAverageSpeeds(const CostModel& costs, PlanningResult& result) {
    if (!costs.measuredKinds() || areOfOneType(costs)) return;
    std::map<std::string, double> speeds;
    for (int device = 0; device < costs.deviceCount(); ++device)
        if (costs.paceOf(device).kind > 0)
            speeds[costs.problem().cluster.devices[at(device)].gpu] = costs.speedOf(device);
    std::string list;
    for (const auto& [gpu, speed] : speeds)
        list += (list.empty() ? "" : ", ") + gpu + " " + formatNumber(speed);
    result.notes.push_back(
        "Planned with one speed for each type of GPU, that of all layers together as they "
        "were measured on it (" +
        list + "); the plan's times are those of each layer.");
    result.plan.claims.fitsMemory = false;
    for (Guarantee& guarantee : result.guarantees) {
        if (guarantee.holds)
            guarantee.because += ". Not proven here: layers are not equally faster on each type of GPU";
        guarantee.holds = false;
    }
}

}  // namespace

PlanningResult planServerByServer(const Planner& planner, const CostModel& costs,
                                  const ParameterValues& values, const WorkContext& context) {
    const Cluster& cluster = costs.problem().cluster;
    const std::vector<int> order = devicesByServer(cluster);
    if (!planner.takesDevicesInOrder() || std::is_sorted(order.begin(), order.end()))
        return planner.plan(costs, values, context);
    Problem inOrder = costs.problem();
    inOrder.cluster.devices.clear();
    for (const int device : order) inOrder.cluster.devices.push_back(cluster.devices[at(device)]);
    PlanningResult result = renumbered(planner.plan(CostModel(std::move(inOrder)), values, context), order);
    if (const std::string note = serverOrderNote(cluster, result.plan); !note.empty())
        result.notes.push_back(note);
    return result;
}

PlanningResult runPlanner(const Planner& planner, const CostModel& costs, const ParameterValues& values,
                          const WorkContext& context) {
    if (const auto& reason = costs.whyUnplannable())
        return withoutPlan(PlanStatus::infeasible, planner, *reason);
    if (const auto reason = whyNoGroups(costs.problem()))
        return withoutPlan(PlanStatus::infeasible, planner, *reason);
    if (costs.problem().setup.group().dividesLayers()) return onGroups(planner, costs, values, context);
    const bool asynchronous = costs.problem().setup.mode == TrainingMode::asynchronous;
    if (!asynchronous && !planner.description().plansWithBarrier)
        return withoutPlan(
            PlanStatus::infeasible, planner,
            planner.description().title +
                " trains without a barrier, with weights that may be stale; the setup asks for "
                "synchronous training (mode)");
    const bool ownBarrier = asynchronous && !planner.description().plansWithoutBarrier;
    ParameterValues complete = defaultValues(planner.description().parameters);
    for (const auto& [name, value] : values) {
        const auto known = complete.find(name);
        if (known == complete.end())
            return withoutPlan(PlanStatus::failed, planner,
                               planner.description().title + " has no parameter '" + name + "'");
        if (known->second.index() != value.index())
            return withoutPlan(PlanStatus::failed, planner,
                               "parameter '" + name + "' has a value of the wrong type: " + toText(value));
        known->second = value;
    }
    try {
        const std::optional<LayerMemory> recomputed =
            planner.description().plansForMemory ? std::nullopt : askedRecomputation(costs.problem().setup);
        const CostModel after = withoutReserved(recomputed ? underRecomputation(costs) : costs);
        const bool byType = planner.plansByGpuType();
        const CostModel seen = byType ? after : withAverageSpeeds(after);
        PlanningResult result =
            planServerByServer(planner, ownBarrier ? synchronousCosts(seen) : seen, complete, context);
        if (recomputed)
            result.plan = withRecomputation(std::move(result.plan), costs.layerCount(), *recomputed);
        if (ownBarrier) result.plan.miniBatch.barrier = true;
        if (!byType) sayAverageSpeeds(after, result);
        result.plan.planner = planner.description().id;
        addClaims(result.plan.claims, planner.description().claims);
        for (const auto& [name, value] : complete) result.plan.parameters[name] = toText(value);
        return result;
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        return withoutPlan(PlanStatus::failed, planner, error.what());
    }
}

}  // namespace stagecraft::planners
