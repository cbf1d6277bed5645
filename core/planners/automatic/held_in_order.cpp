#include "core/planners/automatic/held_in_order.h"

#include "core/base/indices.h"
#include "core/schedules/families.h"
#include "core/schedules/lowering.h"

#include <algorithm>

namespace stagecraft::planners {

namespace {

/// Passes of one device, one after the other.
class HeldByPasses {
public:
    HeldByPasses(const std::vector<double>& ofStage, std::vector<int>& most)
        : ofStage_(ofStage), most_(most), now_(most.size(), 0) {}

    void add(TaskKind kind, int stage) {
        int& now = now_[at(stage)];
        if (kind == TaskKind::forward) {
            most_[at(stage)] = std::max(most_[at(stage)], ++now);
            bytes_ += ofStage_[at(stage)];
            peak_ = std::max(peak_, bytes_);
        } else if (kind == TaskKind::backward || kind == TaskKind::inputGradient) {
            --now;
            bytes_ -= ofStage_[at(stage)];
        }
    }
    double peakBytes() const { return peak_; }

private:
    const std::vector<double>& ofStage_;
    std::vector<int>& most_;
    std::vector<int> now_;
    double bytes_ = 0, peak_ = 0;
};

}  // namespace

bool hasFixedOrders(const Plan& plan) {
    const auto* schedule = std::get_if<FamilySchedule>(&plan.schedule.order);
    const ScheduleFamily* family = schedule ? findScheduleFamily(schedule->name) : nullptr;
    return family && !family->found && !family->evicts && (family->order || family->deviceOrders);
}

std::optional<HeldInOrder> heldInOrder(const CostModel& costs, const Plan& plan) {
    if (!hasFixedOrders(plan)) return std::nullopt;
    const schedules::LoweredPlan lowered = schedules::lower(costs, plan);
    HeldInOrder held{std::vector<double>(at(costs.deviceCount()), 0),
                     std::vector<int>(at(plan.stageCount()), 0)};
    std::vector<double> ofStage;
    for (const Stage& stage : plan.stages) {
        double bytes = 0;
        for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer)
            bytes += costs.keptBytes(layer, plan.layerMemory(layer));
        ofStage.push_back(bytes);
    }
    for (const auto& [device, order] : lowered.devices.orders) {
        HeldByPasses passes(ofStage, held.inFlight);
        for (const Task& task : order) passes.add(task.kind, task.stage);
        held.bytes[at(device)] = passes.peakBytes();
    }
    for (std::size_t stage = 0; stage < lowered.stages.size(); ++stage) {
        HeldByPasses passes(ofStage, held.inFlight);
        for (const schedules::StageOp& op : lowered.stages[stage].ofReplicas.front())
            passes.add(op.kind, static_cast<int>(stage));
        held.bytes[at(plan.stages[stage].devices.front())] = passes.peakBytes();
    }
    return held;
}

}  // namespace stagecraft::planners
