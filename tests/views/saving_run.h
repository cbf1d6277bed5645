#pragma once

#include "tests/views/gantt_fixture.h"
#include "tests/support/window_rooms.h"

namespace stagecraft {

/// Stages of three layers each: one kept, one swapped, one recomputed; the last stage keeps all.
inline std::shared_ptr<PlanRun> savingRun(int microbatches = 8, int stages = 4) {
    MadeUpPipeline wanted;
    wanted.stages = 3 * stages;
    wanted.replicas = 1;
    wanted.microbatches = microbatches;
    Problem problem = madeUpProblem(wanted);
    Plan plan = madeUpPlan(wanted);
    plan.stages.clear();
    for (int stage = 0; stage < stages; ++stage) {
        plan.stages.push_back({3 * stage, 3 * stage + 2, {stage}});
        if (stage + 1 == stages) continue;
        plan.memory.layers[3 * stage + 1] = LayerMemory::swap;
        plan.memory.layers[3 * stage + 2] = LayerMemory::recompute;
    }
    auto run = std::make_shared<PlanRun>();
    run->costs = std::make_shared<CostModel>(std::move(problem));
    run->result.status = PlanStatus::ok;
    run->result.plan = plan;
    run->evaluation = std::make_shared<const Evaluation>(
        measureRun(*run->costs, plan, simulatedRun(*run->costs, plan, {1, {}})));
    return run;
}

}  // namespace stagecraft
