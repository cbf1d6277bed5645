#include "core/schedules/device_orders.h"

#include "core/base/indices.h"
#include "core/cost/stage_layout.h"

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
        const PassKind& does = passKind(task.kind);
        const int stage = task.stage, pass = passOf(task);
        if (does.after && !ran(*does.after, stage, pass)) return false;
        if (does.role != PassRole::computes) return true;
        if (does.way == Way::forward)
            return (!sameCopy(stage, stage - 1) || ran(task.kind, stage - 1, pass)) &&
                   (task.slice == 0 || ran(task.kind, stage, pass - 1));
        if (does.way == Way::backward)
            return ran(TaskKind::evict, stage, pass) == ran(TaskKind::load, stage, pass) &&
                   (!sameCopy(stage, stage + 1) || gaveGradient(stage + 1, pass)) &&
                   (task.slice == slices - 1 || gaveGradient(stage, pass + 1));
        return true;
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

std::vector<OrderedPart> partsOf(const ScheduleFamily& family, const std::vector<Stage>& stages,
                                 int microbatches, const std::vector<PassTimes>& times) {
    int copies = 1;
    for (const Stage& stage : stages) copies = std::max(copies, stage.pipeline + 1);
    const bool together = family.placement == Placement::opposite;
    if (together) copies = 1;
    std::vector<OrderedPart> parts;
    for (int copy = 0; copy < copies; ++copy) {
        OrderedPart& part = parts.emplace_back();
        part.copy = copy;
        part.copies = copies;
        for (std::size_t s = 0; s < stages.size(); ++s) {
            if (!together && stages[s].pipeline != copy) continue;
            part.stages.push_back(stages[s]);
            if (!together) part.stages.back().pipeline = 0;
            part.numbers.push_back(static_cast<int>(s));
        }
        part.shape = shapeOf(part.stages, (microbatches - copy + copies - 1) / copies);
        if (!times.empty())
            for (const int stage : part.numbers) part.shape.times.push_back(times[at(stage)]);
    }
    return parts;
}

std::string whyNotTaken(const ScheduleFamily& family, const ScheduleShape& shape,
                        const ScheduleParameters& parameters) {
    std::string reason = whyNotPlaced(shape, family.placement);
    return reason.empty() && family.refusal ? family.refusal(shape, parameters) : reason;
}

void requireTaken(const ScheduleFamily& family, const ScheduleShape& shape,
                  const ScheduleParameters& parameters) {
    const std::string reason = whyNotTaken(family, shape, parameters);
    if (!reason.empty())
        throw std::invalid_argument("the schedule '" + family.id + "' does not apply: " + reason);
}

[[noreturn]] void sayShared(const ScheduleFamily& family) {
    throw std::invalid_argument("the schedule '" + family.id +
                                "' does not apply: two copies of the network share a device");
}

void addOrders(ExplicitSchedule& schedule, const ScheduleFamily& family, const OrderedPart& part,
               DeviceOrders orders) {
    if (part.copies > 1)
        for (std::vector<Task>& order : orders)
            for (Task& task : order) task = part.inPlan(task);
    std::set<int> own;
    for (int s = 0; s < part.shape.stages(); ++s)
        for (const int device : part.stages[at(s)].devices) {
            if (!own.insert(device).second) continue;
            part.shape.throwIfStopped();
            std::vector<Task>& order = orders[at(part.shape.rankOf[at(s)])];
            const bool isShared = StageLayout(part.stages[at(s)]).rankCount() > 1;
            if (!schedule.orders.try_emplace(device, isShared ? order : std::move(order)).second)
                sayShared(family);
        }
}

}  // namespace

std::vector<PassTimes> passTimes(const CostModel& costs, const Plan& plan, const StageEdges& edges) {
    std::vector<PassTimes> times;
    for (int s = 0; s < plan.stageCount(); ++s) {
        const StageCost cost = costs.stage(plan, s);
        times.push_back({.forwardS = cost.forwardS,
                         .inputGradientS = cost.backwardS - cost.weightGradientS + cost.recomputeS,
                         .weightGradientS = cost.weightGradientS});
    }
    for (const StageEdge& edge : edges.all()) {
        if (edge.to != edge.from + 1 || !edge.needsTransfer) continue;
        const Stage &sender = plan.stages[at(edge.from)], &receiver = plan.stages[at(edge.to)];
        const TransferCost transfer = costs.transfer(edge.forwardBytes, edge.backwardBytes, sender,
                                                     sender.devices, receiver, receiver.devices);
        times[at(edge.from)].toNextS = transfer.forwardS;
        times[at(edge.from)].fromNextS = transfer.backwardS;
    }
    return times;
}

ExplicitSchedule spelledOut(const ScheduleFamily& family, const std::vector<Stage>& stages, int microbatches,
                            const ScheduleParameters& parameters, const std::vector<PassTimes>& times,
                            const std::stop_token& stop) {
    ExplicitSchedule schedule;
    const Schedule policy{FamilySchedule{family.id, parameters}};
    schedule.pairTimes = policy.pairTimes();
    schedule.slices = policy.slices();
    schedule.vocabulary = policy.vocabulary();
    for (OrderedPart& part : partsOf(family, stages, microbatches, times)) {
        part.shape.stop = stop;
        requireTaken(family, part.shape, parameters);
        addOrders(schedule, family, part, family.deviceOrders(part.shape, parameters));
    }
    return schedule;
}

FoundSchedules::FoundSchedules(const ScheduleFamily& family, const std::vector<Stage>& stages,
                               int microbatches, const ScheduleParameters& parameters,
                               const std::vector<PassTimes>& times, const std::stop_token& stop)
    : family_(family), parts_(partsOf(family, stages, microbatches, times)) {
    std::set<int> devices;
    for (OrderedPart& part : parts_) {
        std::set<int> own;
        for (const Stage& stage : part.stages) own.insert(stage.devices.begin(), stage.devices.end());
        devices.merge(own);
        if (!own.empty()) sayShared(family);
        requireTaken(family, part.shape, parameters);
        part.shape.stop = stop;
        found_.push_back(family.found(part.shape, parameters));
        count_ = std::max(count_, found_.back().size());
    }
}

// Copies of the network are alike: the same choice for each.
double FoundSchedules::leastS(std::size_t choice) const {
    double leastS = 0;
    for (std::size_t part = 0; part < parts_.size(); ++part)
        leastS = std::max(leastS, found_[part][ofPart(part, choice)].leastS);
    return leastS;
}

ExplicitSchedule FoundSchedules::take(std::size_t choice) {
    ExplicitSchedule schedule;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
        DeviceOrders& orders = found_[part][ofPart(part, choice)].orders;
        // The last of a part may be needed again.
        const bool isLast = choice + 1 >= found_[part].size() && choice + 1 < count_;
        addOrders(schedule, family_, parts_[part], isLast ? orders : std::move(orders));
    }
    return schedule;
}

std::string remarkOn(const ScheduleFamily& family, const std::vector<Stage>& stages, int microbatches,
                     const ScheduleParameters& parameters) {
    if (!family.remark) return {};
    try {
        for (const OrderedPart& part : partsOf(family, stages, microbatches, {})) {
            if (!whyNotTaken(family, part.shape, parameters).empty()) return {};
            if (std::string remark = family.remark(part.shape, parameters); !remark.empty()) return remark;
        }
    } catch (const std::invalid_argument&) {
        // Its stages have no ranks, and evaluating the plan says so.
    }
    return {};
}

}  // namespace stagecraft::schedules
