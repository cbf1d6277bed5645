#include "core/weights/weight_trace.h"

#include "core/base/indices.h"
#include "core/weights/weight_use.h"

#include <algorithm>

namespace stagecraft::weights {

namespace {

/// The blocks between which arrows run, by stage and mini-batch.
struct Ends {
    std::vector<std::uint32_t> forward, backward, update;

    explicit Ends(std::size_t count)
        : forward(count, noBlock), backward(count, noBlock), update(count, noBlock) {}
};

std::vector<int> inputStages(const Plan& plan) {
    std::vector<int> inputs;
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        const bool first =
            stage == 0 || plan.stages[at(stage - 1)].pipeline != plan.stages[at(stage)].pipeline;
        inputs.push_back(first ? stage : inputs.back());
    }
    return inputs;
}

/// The first of several blocks that are the same one on several lanes.
void keepFirst(std::uint32_t& slot, std::uint32_t block) {
    if (slot == noBlock) slot = block;
}

}  // namespace

WeightTrace::WeightTrace(const Plan& plan, const Timeline& timeline) : blocks_(timeline.blockCount()) {
    const PassHistory history(plan, timeline);
    const WeightUses uses(plan, history);
    const bool predicts = plan.weights.kind == WeightPolicyKind::predicted;
    const auto slot = [&](int stage, int iteration) {
        return at(stage) * at(history.iterations()) + at(iteration);
    };
    Ends ends(plan.stages.size() * at(history.iterations()));
    bool anyPass = false;
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        const BlockKind kind = timeline.kind[block];
        const int stage = timeline.stage[block], iteration = timeline.iteration[block];
        BlockWeights& own = blocks_[block];
        if (kind == BlockKind::update) {
            own.version = history.updatesBefore(stage, iteration) + 1;
            keepFirst(ends.update[slot(stage, iteration)], block);
            continue;
        }
        // A pair is shown with what its forward uses.
        const bool forward = kind == BlockKind::forward || kind == BlockKind::pair;
        if (!isPass(kind) && kind != BlockKind::recompute) continue;
        const MicrobatchUse& use = uses.of(stage, iteration, timeline.microbatch[block]);
        const WeightUse& weights = forward ? use.forward : use.backward;
        own = {weights.version, weights.ahead,
               uses.staleness(stage, iteration, timeline.microbatch[block], !forward),
               forward ? use.bellwether : use.backwardBellwether};
        maxStaleness_ = anyPass ? std::max(maxStaleness_, own.staleness) : own.staleness;
        anyPass = true;
        if (!own.bellwether) continue;
        if (forward) keepFirst(ends.forward[slot(stage, iteration)], block);
        if (givesGradient(kind)) keepFirst(ends.backward[slot(stage, iteration)], block);
    }
    if (!predicts) return;
    const std::vector<int> inputs = inputStages(plan);
    for (int stage = 0; stage < plan.stageCount(); ++stage)
        for (int iteration = 0; iteration < history.iterations(); ++iteration) {
            const std::uint32_t update = ends.update[slot(inputs[at(stage)], iteration)];
            for (const auto* starts : {&ends.forward, &ends.backward}) {
                const std::uint32_t from = (*starts)[slot(stage, iteration)];
                if (from == noBlock || update == noBlock) continue;
                predictions_.push_back({from, update, blocks_[from].ahead});
            }
        }
}

}  // namespace stagecraft::weights
