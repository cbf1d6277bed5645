#pragma once

#include "core/training/pass_history.h"
#include "core/training/policy.h"

namespace stagecraft::training {

/// The weights of one pass.
struct WeightUse {
    int version = 0;  ///< updates that the stage had had when these weights stood (0: as at the start)
    int ahead = 0;    ///< updates that a prediction made from them anticipates; 0: none is made
    bool operator==(const WeightUse&) const = default;
};

struct MicrobatchUse {
    WeightUse forward, backward;
};

/// How a bellwether knows how far ahead to foretell.
enum class VersionDifference {
    counted,  ///< the updates of its stage, its own left out, until its mini-batch leaves the input stage,
              ///< counted on the timeline
    exact,    ///< the closed form for passes that take equally long (E-XP-3)
    printed,  ///< XPipe's Eq. (1) and (2); under SpecTrain the exact one, which its formula is
};

/// Which weights each pass of a timeline uses under a policy.
class WeightUses {
public:
    /// @throws TrainingError if a pass needs a version that does not stand yet
    WeightUses(const Plan& plan, const PassHistory& history, Policy policy, VersionDifference difference);

    /// Of a microbatch that passes through the stage.
    const MicrobatchUse& of(int stage, int iteration, int microbatch) const {
        return uses_[index(stage, iteration, microbatch)];
    }

private:
    std::size_t index(int stage, int iteration, int microbatch) const {
        return (static_cast<std::size_t>(stage) * static_cast<std::size_t>(history_.iterations()) +
                static_cast<std::size_t>(iteration)) *
                   static_cast<std::size_t>(history_.microbatches()) +
               static_cast<std::size_t>(microbatch);
    }
    void foretell(int stage, int iteration);
    int ahead(int stage, int iteration, const WeightUse& use, bool backward) const;
    int counted(int stage, int iteration, const WeightUse& use) const;
    int named(int stage, int iteration, int microbatch) const;
    void requireStanding(int stage, int iteration, int microbatch, int version) const;

    const PassHistory& history_;
    Policy policy_;
    VersionDifference difference_;
    std::vector<int> inputStage_, position_, stagesOfPipeline_;  // by stage
    std::vector<MicrobatchUse> uses_;
};

}  // namespace stagecraft::training
