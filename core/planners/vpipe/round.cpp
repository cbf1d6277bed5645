#include "core/planners/vpipe/round.h"

#include "core/cost/stage_layout.h"

namespace stagecraft::planners::vpipe {

std::vector<Stage> stagesOf(const std::vector<int>& bounds, int layers) {
    std::vector<Stage> stages;
    for (std::size_t s = 0; s <= bounds.size(); ++s)
        stages.push_back({s == 0 ? 0 : bounds[s - 1],
                          (s < bounds.size() ? bounds[s] : layers) - 1,
                          {static_cast<int>(s)}});
    return stages;
}

int iterationsFor(const CostModel& costs, int workers) {
    const TrainingSetup& setup = costs.problem().setup;
    return setup.mode == TrainingMode::synchronous ? 1 : 8 + 4 * workers / setup.microbatches;
}

int workersOf(const std::vector<Stage>& stages) {
    int workers = 0;
    for (const Stage& stage : stages) workers += StageLayout(stage).rankCount();
    return workers;
}

std::vector<int> boundsOf(const std::vector<Stage>& stages) {
    std::vector<int> bounds;
    for (std::size_t s = 1; s < stages.size(); ++s) bounds.push_back(stages[s].firstLayer);
    return bounds;
}

Plan planOf(const std::vector<Stage>& stages, const MemoryPolicy& memory, const Settings& settings) {
    Plan plan;
    plan.planner = "vpipe";
    plan.stages = stages;
    plan.schedule.order = FamilySchedule{"1f1b", {}};
    plan.memory = memory;
    plan.claims.fitsMemory = true;
    if (settings.system == System::asynchronous) {
        plan.weights.kind = WeightPolicyKind::stashing;
        plan.miniBatch.microbatches = 1;
    }
    return plan;
}

}  // namespace stagecraft::planners::vpipe
