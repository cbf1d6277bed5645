#pragma once

#include "core/cost/vocabulary_cost.h"
#include "core/simulation/graph_draft.h"

namespace stagecraft::simulation {

/// Passes of the layers of a vocabulary that all devices share out, and what they send to each other between
/// them, each microbatch by itself (VocabularyPasses): the last stage's output goes to all, S waits for it, a
/// barrier for all S, T for the barrier, and the last stage's backward for the sum of the gradients. The
/// first stage's forward waits for the sum of all lookups, whose gradients for what its backward gives. What
/// is sent has a lane of its own, but where the passes are interlaced: there the devices do nothing else
/// meanwhile.
class VocabularyRows {
public:
    explicit VocabularyRows(GraphDraft& draft)
        : draft_(draft), cost_(vocabularyCost(draft.costs(), draft.plan())) {}
    void add();

private:
    void addPasses();
    void addHead();
    void addEmbedding();
    int addPass(BlockKind kind, int stage, double seconds);
    /// On the lane of all devices or, if they do nothing else meanwhile, on each of theirs.
    int addCollective(BlockKind kind, int stage, double seconds, bool isInOrders);
    bool isInterlaced() const { return draft_.plan().schedule.vocabulary() == VocabularyPasses::interlaced; }

    GraphDraft& draft_;
    const VocabularyCost cost_;
};

}  // namespace stagecraft::simulation
