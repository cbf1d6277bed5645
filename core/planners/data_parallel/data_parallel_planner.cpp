#include "core/planners/data_parallel/data_parallel_planner.h"

#include "core/planners/device_list.h"

namespace stagecraft::planners {

namespace {

class DataParallelPlanner final : public Planner {
public:
    const PlannerDescription& description() const override { return description_; }

    PlanningResult plan(const CostModel& costs, const ParameterValues&, const WorkContext&) const override {
        PlanningResult result;
        result.status = PlanStatus::ok;
        result.plan.planner = description_.id;
        result.plan.stages = {{0, costs.layerCount() - 1, devicesAsNumbered(costs.deviceCount())}};
        result.plan.schedule.order = PolicySchedule{"1f1b", {}};
        const StageCost cost = costs.stage(result.plan, 0);
        result.predictedS =
            costs.problem().setup.microbatches * (cost.forwardS + cost.backwardS) +
            costs.allReduceS(costs.parameterBytes(0, costs.layerCount() - 1), result.plan.stages[0].devices);
        result.notes.emplace_back(
            "Each device computes its share of every microbatch; gradients are summed once, after "
            "all of them, and nothing overlaps with that.");
        return result;
    }

private:
    const PlannerDescription description_{
        "data-parallel",
        "Data parallelism",
        "Baseline of Luo et al., IEEE INFOCOM 2022, Sec. V-A",
        "One stage with all layers, replicated on all devices, and one AllReduce per iteration.",
        {},
        false};
};

}  // namespace

std::unique_ptr<Planner> makeDataParallelPlanner() { return std::make_unique<DataParallelPlanner>(); }

}  // namespace stagecraft::planners
