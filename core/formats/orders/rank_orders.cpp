#include "core/formats/orders/rank_orders.h"

#include "core/base/counted.h"
#include "core/base/indices.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::formats {

namespace {

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

/// Why the plan is not one pipeline with a stage on a rank, trained synchronously.
void requireOnePipeline(const Plan& plan) {
    if (plan.pipelineCount() > 1)
        refuse("the plan has " + counted(plan.pipelineCount(), "copy", "copies") +
               " of the network; an order for an engine is that of one");
    for (int stage = 0; stage < plan.stageCount(); ++stage)
        if (const auto replicas = plan.stages[at(stage)].devices.size(); replicas != 1)
            refuse("stage " + std::to_string(stage) + " is on " + counted(replicas, "device") +
                   "; an order for an engine has one rank a stage");
    if (plan.weights.kind != WeightPolicyKind::single)
        refuse("the plan keeps several versions of the weights; an order for an engine has one");
}

}  // namespace

int RankOrders::stages() const {
    int most = -1;
    for (const std::vector<Task>& order : ranks)
        for (const Task& task : order) most = std::max(most, task.stage);
    return most + 1;
}

int RankOrders::microbatches() const {
    int most = -1;
    for (const std::vector<Task>& order : ranks)
        for (const Task& task : order) most = std::max(most, task.microbatch);
    return most + 1;
}

std::vector<int> RankOrders::rankOf() const {
    std::vector<int> result(at(stages()), -1);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        for (const Task& task : ranks[rank]) result[at(task.stage)] = static_cast<int>(rank);
    return result;
}

RankOrders rankOrders(const Plan& plan) {
    requireOnePipeline(plan);
    const auto* order = std::get_if<ExplicitSchedule>(&plan.schedule.order);
    if (!order) refuse("the plan does not spell out what each device runs");
    if (order->slices > 1)
        refuse("the plan cuts sequences into " + std::to_string(order->slices) +
               " slices; an order for an engine has whole microbatches");
    RankOrders result;
    std::vector<int> seen;
    for (const Stage& stage : plan.stages) {
        const int device = stage.devices.front();
        if (std::find(seen.begin(), seen.end(), device) != seen.end()) continue;
        seen.push_back(device);
        const auto tasks = order->orders.find(device);
        result.ranks.push_back(tasks == order->orders.end() ? std::vector<Task>{} : tasks->second);
        for (const Task& task : result.ranks.back())
            if (isOfVocabulary(blockKindOf(task.kind)))
                refuse(
                    "the order has passes of the vocabulary's layers, which all stages share; engines have "
                    "no word for that");
            else if (!isComputed(task.kind))
                refuse("the order evicts activations of stage " + std::to_string(task.stage) +
                       " to another device; engines have no word for that");
            else if (task.kind == TaskKind::recompute)
                refuse("the order says when stage " + std::to_string(task.stage) +
                       " is recomputed; engines recompute right before a backward");
    }
    return result;
}

}  // namespace stagecraft::formats
