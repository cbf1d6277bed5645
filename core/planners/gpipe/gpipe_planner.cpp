#include "core/base/counted.h"
#include "core/planners/planner.h"
#include "core/runs/chosen_schedule.h"

#include <algorithm>

namespace stagecraft::planners {

namespace {

/// GPipe as SPP's baseline (E-SPP-13): min(devices, layers) stages of equally many layers, one device each,
/// all forwards before all backwards.
class GpipePlanner final : public Planner {
public:
    const PlannerDescription& description() const override { return description_; }
    bool plansByGpuType() const override { return true; }
    bool takesDevicesInOrder() const override { return true; }

    PlanningResult plan(const CostModel& costs, const ParameterValues& values,
                        const WorkContext&) const override {
        PlanningResult result;
        result.status = PlanStatus::ok;
        result.plan.planner = description_.id;
        result.plan.schedule.order = FamilySchedule{"gpipe", {}};
        const int possible = std::min(costs.layerCount(), costs.deviceCount());
        const int asked = std::get<int>(values.at("max_stages"));
        const int stages = asked == 0 ? possible : std::min(asked, possible);
        result.plan.stages = equalLayers(costs.layerCount(), stages);
        for (int stage = 0; stage < stages; ++stage)
            result.plan.stages[static_cast<std::size_t>(stage)].devices = {stage};
        if (stages < costs.deviceCount())
            result.notes.emplace_back("GPipe does not replicate stages: " + std::to_string(stages) + " of " +
                                      counted(costs.deviceCount(), "device") + " are used.");
        return result;
    }

private:
    const PlannerDescription description_{
        "gpipe",
        "GPipe",
        "Huang et al.: GPipe: Efficient Training of Giant Neural Networks "
        "Using Pipeline Parallelism, NeurIPS 2019",
        "As many stages as devices (or layers), equally many layers in "
        "each, all forwards and then all backwards.",
        {{.name = "max_stages",
          .label = "Stages at most",
          .description = "The number of stages, if there are enough devices and layers for it; 0: as many as "
                         "there are devices or layers (SPP Sec. V-A).",
          .defaultValue = 0,
          .maximum = 4096,
          .zeroMeans = "no limit"}},
        {.oneStagePerDevice = true}};
};

}  // namespace

std::unique_ptr<Planner> makeGpipePlanner() { return std::make_unique<GpipePlanner>(); }

}  // namespace stagecraft::planners
