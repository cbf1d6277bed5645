#include "core/schedules/device_orders.h"

#include "core/base/indices.h"
#include "core/schedules/families.h"

#include <algorithm>
#include <set>
#include <span>
#include <stdexcept>

namespace stagecraft::schedules {

int wholeParameter(const ScheduleParameters& parameters, const std::string& name, int otherwise) {
    constexpr double most = 1 << 20;
    const auto found = parameters.find(name);
    const bool counts = found != parameters.end() && found->second >= 0 && found->second <= most;
    return counts ? static_cast<int>(found->second) : otherwise;
}

std::vector<std::size_t> tasksReached(const ScheduleShape& shape, const DeviceOrders& orders) {
    int slices = 1;
    for (const std::vector<Task>& order : orders) slices = std::max(slices, slicesNamed(order));
    const std::size_t passes = at(shape.microbatches * slices);
    std::vector<char> done(taskKindCount * at(shape.stages()) * passes, 0);
    const auto place = [&](TaskKind kind, int stage, int pass) {
        return (static_cast<std::size_t>(kind) * at(shape.stages()) + at(stage)) * passes + at(pass);
    };
    const auto ran = [&](TaskKind kind, int stage, int pass) { return done[place(kind, stage, pass)] != 0; };
    const auto gaveGradient = [&](int stage, int pass) {
        return ran(TaskKind::backward, stage, pass) || ran(TaskKind::inputGradient, stage, pass);
    };
    const auto passOf = [slices](const Task& task) { return task.microbatch * slices + task.slice; };
    const auto sameCopy = [&](int stage, int other) {
        return other >= 0 && other < shape.stages() &&
               shape.pipelineOf[at(stage)] == shape.pipelineOf[at(other)];
    };
    const auto isReady = [&](const Task& task) {
        const TaskKind kind = task.kind;
        const int stage = task.stage, pass = passOf(task);
        if (kind == TaskKind::forward)
            return (!sameCopy(stage, stage - 1) || ran(TaskKind::forward, stage - 1, pass)) &&
                   (task.slice == 0 || ran(TaskKind::forward, stage, pass - 1));
        if (kind == TaskKind::backward || kind == TaskKind::inputGradient)
            return ran(TaskKind::forward, stage, pass) &&
                   ran(TaskKind::evict, stage, pass) == ran(TaskKind::load, stage, pass) &&
                   (!sameCopy(stage, stage + 1) || gaveGradient(stage + 1, pass)) &&
                   (task.slice == slices - 1 || gaveGradient(stage, pass + 1));
        if (kind == TaskKind::recompute || kind == TaskKind::evict)
            return ran(TaskKind::forward, stage, pass);
        if (kind == TaskKind::load) return ran(TaskKind::evict, stage, pass);
        return ran(TaskKind::inputGradient, stage, pass);
    };
    /// How many tasks from there on are one block.
    const auto inBlock = [](const std::vector<Task>& order, std::size_t first) {
        std::size_t count = 1;
        while (first + count < order.size() && order[first + count].paired) ++count;
        return count;
    };
    std::vector<std::size_t> next(orders.size(), 0);
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t rank = 0; rank < orders.size(); ++rank)
            while (next[rank] < orders[rank].size()) {
                const std::span<const Task> block =
                    std::span(orders[rank]).subspan(next[rank], inBlock(orders[rank], next[rank]));
                if (!std::all_of(block.begin(), block.end(), isReady)) break;
                for (const Task& task : block) done[place(task.kind, task.stage, passOf(task))] = 1;
                next[rank] += block.size();
                moved = true;
            }
    }
    return next;
}

bool completes(const ScheduleShape& shape, const DeviceOrders& orders) {
    const std::vector<std::size_t> reached = tasksReached(shape, orders);
    return std::equal(orders.begin(), orders.end(), reached.begin(),
                      [](const std::vector<Task>& order, std::size_t ran) { return ran == order.size(); });
}

namespace {

/// Adds the orders of stages that `shape` describes; `inPlan` numbers their tasks as the plan does.
template <typename InPlan>
void addOrders(ExplicitSchedule& schedule, const ScheduleFamily& family, const std::vector<Stage>& stages,
               const ScheduleShape& shape, const ScheduleParameters& parameters, InPlan inPlan) {
    std::string reason = whyNotPlaced(shape, family.placement);
    if (reason.empty() && family.refusal) reason = family.refusal(shape, parameters);
    if (!reason.empty())
        throw std::invalid_argument("the schedule '" + family.id + "' does not apply: " + reason);
    DeviceOrders orders = family.deviceOrders(shape, parameters);
    for (std::vector<Task>& order : orders)
        for (Task& task : order) task = inPlan(task);
    std::set<int> own;
    for (int s = 0; s < shape.stages(); ++s)
        for (const int device : stages[at(s)].devices) {
            if (!own.insert(device).second) continue;
            std::vector<Task>& order = orders[at(shape.rankOf[at(s)])];
            const bool isOnlyOne = stages[at(s)].devices.size() == 1;
            if (!schedule.orders.try_emplace(device, isOnlyOne ? std::move(order) : order).second)
                throw std::invalid_argument("the schedule '" + family.id +
                                            "' does not apply: two copies of the network share a device");
        }
}

}  // namespace

std::vector<PassTimes> passTimes(const CostModel& costs, const Plan& plan) {
    std::vector<PassTimes> times;
    for (int s = 0; s < plan.stageCount(); ++s) {
        const StageCost cost = costs.stage(plan, s);
        times.push_back({.forwardS = cost.forwardS,
                         .inputGradientS = cost.backwardS - cost.weightGradientS + cost.recomputeS,
                         .weightGradientS = cost.weightGradientS});
    }
    for (const StageEdge& edge : costs.stageEdges(plan)) {
        if (edge.to != edge.from + 1 || !edge.needsTransfer) continue;
        const TransferCost transfer =
            costs.transfer(edge.forwardBytes, edge.backwardBytes, plan.stages[at(edge.from)].devices,
                           plan.stages[at(edge.to)].devices);
        times[at(edge.from)].toNextS = transfer.forwardS;
        times[at(edge.from)].fromNextS = transfer.backwardS;
    }
    return times;
}

std::vector<int> evictions(const CostModel& costs, const Plan& plan) {
    std::vector<int> counts(plan.stages.size(), 0);
    const auto count = [&](const ExplicitSchedule& schedule) {
        for (std::size_t s = 0; s < counts.size(); ++s)
            if (const auto order = schedule.orders.find(plan.stages[s].devices.front());
                order != schedule.orders.end())
                counts[s] = static_cast<int>(std::ranges::count_if(order->second, [s](const Task& task) {
                    return task.kind == TaskKind::evict && at(task.stage) == s;
                }));
    };
    if (const auto* spelled = std::get_if<ExplicitSchedule>(&plan.schedule.order)) count(*spelled);
    const auto* policy = std::get_if<PolicySchedule>(&plan.schedule.order);
    const ScheduleFamily* family = policy ? findScheduleFamily(policy->name) : nullptr;
    if (!family || !family->evicts) return counts;
    try {
        count(spelledOut(*family, plan.stages, costs.problem().setup.microbatches, policy->parameters));
    } catch (const std::invalid_argument&) {
        // It cannot be run, and evaluating it says so.
    }
    return counts;
}

ExplicitSchedule spelledOut(const ScheduleFamily& family, const std::vector<Stage>& stages, int microbatches,
                            const ScheduleParameters& parameters, const std::vector<PassTimes>& times) {
    ExplicitSchedule schedule;
    const Schedule policy{PolicySchedule{family.id, parameters}};
    schedule.pairTimes = policy.pairTimes();
    schedule.slices = policy.slices();
    int copies = 1;
    for (const Stage& stage : stages) copies = std::max(copies, stage.pipeline + 1);
    if (family.placement == Placement::opposite || copies == 1) {  // numbered as in the plan
        ScheduleShape shape = shapeOf(stages, microbatches);
        shape.times = times;
        addOrders(schedule, family, stages, shape, parameters, [](const Task& task) { return task; });
        return schedule;
    }
    for (int copy = 0; copy < copies; ++copy) {
        std::vector<Stage> own;
        std::vector<int> numbers;  // in the plan
        for (std::size_t s = 0; s < stages.size(); ++s)
            if (stages[s].pipeline == copy) {
                own.push_back(stages[s]);
                own.back().pipeline = 0;
                numbers.push_back(static_cast<int>(s));
            }
        ScheduleShape shape = shapeOf(own, (microbatches - copy + copies - 1) / copies);
        if (!times.empty())
            for (const int stage : numbers) shape.times.push_back(times[at(stage)]);
        addOrders(schedule, family, own, shape, parameters, [&](const Task& task) {
            return Task{task.kind, numbers[at(task.stage)], copy + copies * task.microbatch, task.paired,
                        task.slice};
        });
    }
    return schedule;
}

}  // namespace stagecraft::schedules
