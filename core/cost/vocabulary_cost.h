#pragma once

#include "core/cost/collective_hops.h"
#include "core/cost/cost_model.h"

#include <vector>

namespace stagecraft::cost {

/// What the devices of a plan do for the vocabulary's layers where they share them out
/// (Schedule::sharesVocabulary), of one microbatch: seconds of each stage's share, and of what all of them
/// send to each other. Of several copies of the network each shares its own words out among its own devices
/// (model::vocabularySharers) and works on its part of the microbatch; what copies do at once takes as long
/// as the slowest of them. Shares are equal: words are cut evenly, whatever the devices' speed (Yeung et al.,
/// MLSys 2025). Collectives take what Eq. (1) of SPP says, a broadcast as long as its bytes over the
/// slowest link between any two, and each the largest latency and the setup's overhead of a transfer; the two
/// numbers a token that a softmax takes are not counted.
struct VocabularyCost {
    struct Share {
        double headForwardS = 0, headBackwardS = 0;
        double embeddingForwardS = 0, embeddingBackwardS = 0;
        double heldBytes = 0;  ///< from S to the end of T: the head's input, and a share of all else
    };
    std::vector<Share> shares;  ///< by stage; empty: nothing is shared out
    bool hasEmbedding = false;
    std::vector<int> devices;              ///< of all stages, ascending
    std::vector<std::vector<int>> copies;  ///< those of each copy, ascending
    double headInputS = 0, headBarrierS = 0, headGradientS = 0;
    double embeddingOutputS = 0, embeddingReturnS = 0;
    double headInputBytes = 0, headGradientBytes = 0;  ///< that one device sends
    double embeddingOutputBytes = 0, embeddingReturnBytes = 0;

    bool isShared() const { return !shares.empty(); }
    /// That one device sends in it; 0 of another kind.
    double bytesOf(BlockKind kind) const;
    /// Round a ring of each copy's devices; what goes out from those of one stage does not come back to them.
    /// @param ends the devices of that stage
    std::vector<RankHop> hopsOf(BlockKind kind, const std::vector<int>& ends) const;
};

/// @param plan one that model::whyNotShared() does not refuse, else nothing is shared out
VocabularyCost vocabularyCost(const CostModel& costs, const Plan& plan);

}  // namespace stagecraft::cost
