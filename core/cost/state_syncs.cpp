#include "core/cost/state_syncs.h"

#include "core/cost/state_bytes.h"

namespace stagecraft::cost {

double timesAnIteration(SyncTrigger trigger, double backwards) {
    switch (trigger) {
        case SyncTrigger::beforePass:
            return 2 * backwards;
        case SyncTrigger::afterBackward:
            return backwards;
        case SyncTrigger::iteration:
            return 1;
    }
    return 0;
}

std::vector<StateSync> stateSyncs(const Problem& problem) {
    const StateBytes state(problem);
    const StateSync scatter{
        BlockKind::reduceScatter,
        problem.setup.zero >= ZeroStage::gradients ? SyncTrigger::afterBackward : SyncTrigger::iteration,
        state.gradients};
    switch (problem.setup.zero) {
        case ZeroStage::off:
            return {{BlockKind::allReduce, SyncTrigger::iteration, 2 * state.gradients}};
        case ZeroStage::optimizer:
        case ZeroStage::gradients:
            return {scatter, {BlockKind::allGather, SyncTrigger::iteration, state.sentWeights}};
        case ZeroStage::weights:
            return {{BlockKind::allGather, SyncTrigger::beforePass, state.sentWeights}, scatter};
    }
    return {};
}

double leastExposed(SyncTrigger trigger, const TrainingSetup& setup) {
    return trigger == SyncTrigger::iteration ? 1 : 1 - setup.zeroOverlap;
}

double synchronisedBytes(const Problem& problem, int slices) {
    double rounds = 0;
    for (const StateSync& sync : stateSyncs(problem))
        rounds += timesAnIteration(sync.trigger, double(problem.setup.microbatches) * slices) *
                  leastExposed(sync.trigger, problem.setup) * sync.roundBytes;
    return rounds / 2;
}

}  // namespace stagecraft::cost
