#pragma once

#include "core/weights/pass_history.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::weights {

/// The weights of one pass.
struct WeightUse {
    int version = 0;  ///< updates of the stage that these weights include (0: as at the start)
    int ahead = 0;    ///< updates that a prediction made from them anticipates; 0: none is made
    bool operator==(const WeightUse&) const = default;
};

struct MicrobatchUse {
    WeightUse forward, backward;
    /// Predicted weights: the first of its mini-batch to come, which predicts for all of it (XPipe Sec. III).
    bool bellwether = false;
    /// The same for the backwards; another microbatch only where they come in another order.
    bool backwardBellwether = false;
};

/// Which weights each pass of a timeline uses under the plan's weight policy.
class WeightUses {
public:
    WeightUses(const Plan& plan, const PassHistory& history);

    /// Of a microbatch that passes through the stage.
    const MicrobatchUse& of(int stage, int iteration, int microbatch) const {
        return uses_[index(stage, iteration, microbatch)];
    }
    /// Staleness: updates that the stage gets, its mini-batch's own left out, between the weights that the
    /// pass uses (as predicted, where they are) and the update that its gradient enters. Negative:
    /// over-predicted.
    int staleness(int stage, int iteration, int microbatch, bool backward) const;
    /// For comparing the closed forms with the count: updates ahead that a
    /// bellwether of the mini-batch expects, whatever the policy is.
    int difference(int stage, int iteration, VersionDifference how, bool backward) const;
    /// A sentence about the first pass that needs a version which does not exist yet, or nothing.
    const std::optional<std::string>& missing() const { return missing_; }

private:
    std::size_t index(int stage, int iteration, int microbatch) const {
        return (static_cast<std::size_t>(stage) * static_cast<std::size_t>(history_.iterations()) +
                static_cast<std::size_t>(iteration)) *
                   static_cast<std::size_t>(history_.microbatches()) +
               static_cast<std::size_t>(microbatch);
    }
    /// The first passes of a mini-batch through a stage.
    struct First {
        int forwardMicrobatch = -1, backwardMicrobatch = -1;  ///< -1: none passes here
        WeightUse forward, backward;
    };
    First firstOf(int stage, int iteration) const;
    void predict(int stage, int iteration);
    void name(int stage, int iteration, int microbatch);
    int counted(int stage, int iteration, const WeightUse& use) const;
    int namedFor(int stage, int iteration, int microbatch) const;
    void requireStanding(int stage, int iteration, int microbatch, int version);

    const PassHistory& history_;
    WeightPolicy policy_;
    std::vector<int> inputStage_, position_, stagesOfPipeline_;  // by stage
    std::vector<MicrobatchUse> uses_;
    std::optional<std::string> missing_;
};

}  // namespace stagecraft::weights
