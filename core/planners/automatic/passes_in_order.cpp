#include "core/planners/automatic/passes_in_order.h"

#include "core/base/indices.h"
#include "core/schedules/lowering.h"

#include <algorithm>

namespace stagecraft::planners {

namespace {

/// What a microbatch in flight holds on a stage's device, in bytes (memory::MemoryRules).
struct HeldOfStage {
    double kept = 0;      ///< from its forward to its input gradient
    double back = 0;      ///< computed again for its backward: of layers one by one the largest
    double deferred = 0;  ///< from its input gradient to its weight gradient
};

HeldOfStage heldOf(const CostModel& costs, const Plan& plan, const Stage& stage) {
    HeldOfStage held;
    for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer) {
        const LayerMemory memory = plan.layerMemory(layer);
        held.kept += costs.keptBytes(layer, memory, stage.group);
        held.back = std::max(held.back, costs.broughtBackBytes(layer, memory, stage.group));
    }
    if (plan.schedule.splits())
        held.deferred = costs.keptForWeightGradient(stage.firstLayer, stage.lastLayer, stage.group);
    return held;
}

}  // namespace

HeldInOrder PassesInOrder::held(const CostModel& costs, const Plan& plan) const {
    std::vector<HeldOfStage> ofStage;
    for (const Stage& stage : plan.stages) ofStage.push_back(heldOf(costs, plan, stage));
    HeldInOrder held{std::vector<double>(ofDevices_.size(), 0), std::vector<int>(ofStage.size(), 0)};
    std::vector<int> now(ofStage.size(), 0);
    for (std::size_t device = 0; device < ofDevices_.size(); ++device) {
        double bytes = 0;
        double& most = held.bytes[device];
        for (const auto& [index, kind] : ofDevices_[device]) {
            const HeldOfStage& stage = ofStage[at(index)];
            if (kind == TaskKind::forward) {
                held.inFlight[at(index)] = std::max(held.inFlight[at(index)], ++now[at(index)]);
                most = std::max(most, bytes += stage.kept);
            } else if (kind == TaskKind::weightGradient) {
                bytes -= stage.deferred;
            } else if (kind == TaskKind::backward || kind == TaskKind::inputGradient) {
                --now[at(index)];
                most = std::max(most, bytes + stage.back);
                bytes += (kind == TaskKind::inputGradient ? stage.deferred : 0) - stage.kept;
            }
        }
    }
    return held;
}

std::optional<PassesInOrder> passesInOrder(const CostModel& costs, const Plan& plan,
                                           const std::stop_token& stop) {
    if (!hasFixedOrders(plan)) return std::nullopt;
    const schedules::LoweredPlan lowered = schedules::lower(costs, plan, 1, stop);
    PassesInOrder passes(costs.deviceCount());
    for (const auto& [device, order] : lowered.devices.orders)
        for (const Task& task : order) passes.add(device, task.kind, task.stage);
    for (std::size_t stage = 0; stage < lowered.stages.size(); ++stage)
        for (const schedules::StageOp& op : lowered.stages[stage].ofReplicas.front())
            passes.add(plan.stages[stage].devices.front(), op.kind, static_cast<int>(stage));
    return passes;
}

std::optional<HeldInOrder> heldInOrder(const CostModel& costs, const Plan& plan) {
    const std::optional<PassesInOrder> passes = passesInOrder(costs, plan);
    if (!passes) return std::nullopt;
    return passes->held(costs, plan);
}

}  // namespace stagecraft::planners
