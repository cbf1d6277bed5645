#include "core/weights/weight_use.h"

#include "core/base/indices.h"
#include "core/schedules/version_difference.h"

#include <algorithm>

namespace stagecraft::weights {

namespace {

const char* namerOf(WeightPolicyKind kind) {
    return kind == WeightPolicyKind::doubleBuffer ? "double buffering" : "vertical sync";
}

}  // namespace

WeightUses::WeightUses(const Plan& plan, const PassHistory& history)
    : history_(history), policy_(plan.weights) {
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        const int pipeline = plan.stages[at(stage)].pipeline;
        const auto inSame = [&](const Stage& other) { return other.pipeline == pipeline; };
        const auto first = std::find_if(plan.stages.begin(), plan.stages.end(), inSame);
        inputStage_.push_back(static_cast<int>(first - plan.stages.begin()));
        position_.push_back(stage - inputStage_.back());
        stagesOfPipeline_.push_back(
            static_cast<int>(std::count_if(plan.stages.begin(), plan.stages.end(), inSame)));
    }
    uses_.resize(at(history.stageCount()) * at(history.iterations()) * at(history.microbatches()));
    for (int stage = 0; stage < history.stageCount(); ++stage)
        for (int iteration = 0; iteration < history.iterations(); ++iteration) {
            if (policy_.kind == WeightPolicyKind::predicted) {
                predict(stage, iteration);
                continue;
            }
            for (int microbatch = 0; microbatch < history.microbatches(); ++microbatch)
                if (history.pass(stage, iteration, microbatch).present) name(stage, iteration, microbatch);
        }
}

void WeightUses::name(int stage, int iteration, int microbatch) {
    MicrobatchUse& use = uses_[index(stage, iteration, microbatch)];
    use.forward.version = use.backward.version = namedFor(stage, iteration, microbatch);
    requireStanding(stage, iteration, microbatch, use.forward.version);
    // Its own update comes after it, even if a backward takes no time.
    if (policy_.kind == WeightPolicyKind::latest)
        use.backward.version =
            std::min(history_.newestAt(stage, history_.pass(stage, iteration, microbatch).backwardStartS),
                     history_.updatesBefore(stage, iteration));
}

int WeightUses::namedFor(int stage, int iteration, int microbatch) const {
    if (policy_.kind == WeightPolicyKind::doubleBuffer) return std::max(0, iteration - 1);
    const int namer = policy_.kind == WeightPolicyKind::verticalSync ? inputStage_[at(stage)] : stage;
    return std::min(history_.newestAt(namer, history_.pass(namer, iteration, microbatch).forwardStartS),
                    history_.updatesBefore(namer, iteration));
}

void WeightUses::requireStanding(int stage, int iteration, int microbatch, int version) {
    const PassInstants& pass = history_.pass(stage, iteration, microbatch);
    const int newest = history_.newestAt(stage, pass.forwardStartS);
    if (version <= newest || missing_) return;
    missing_ = std::string(namerOf(policy_.kind)) + " wants weight version " + std::to_string(version) +
               " for microbatch " + std::to_string(microbatch) + " of mini-batch " +
               std::to_string(iteration) + " on stage " + std::to_string(stage) +
               ", but the newest then is " + std::to_string(newest) +
               (policy_.kind == WeightPolicyKind::doubleBuffer
                    ? "; expected more microbatches, at least as many as the pipeline holds at once"
                    : "");
}

WeightUses::First WeightUses::firstOf(int stage, int iteration) const {
    First first;
    const PassInstants *forward = nullptr, *backward = nullptr;
    for (int microbatch = 0; microbatch < history_.microbatches(); ++microbatch) {
        const PassInstants& pass = history_.pass(stage, iteration, microbatch);
        if (!pass.present) continue;
        if (!forward || pass.forwardStartS < forward->forwardStartS) {
            forward = &pass;
            first.forwardMicrobatch = microbatch;
        }
        if (!backward || pass.backwardStartS < backward->backwardStartS) {
            backward = &pass;
            first.backwardMicrobatch = microbatch;
        }
    }
    if (!forward) return first;
    const int own = history_.updatesBefore(stage, iteration);
    first.forward.version = std::min(history_.newestAt(stage, forward->forwardStartS), own);
    first.backward.version = std::min(history_.newestAt(stage, backward->backwardStartS), own);
    return first;
}

void WeightUses::predict(int stage, int iteration) {
    const First first = firstOf(stage, iteration);
    if (first.forwardMicrobatch < 0) return;
    MicrobatchUse use{first.forward, first.backward, false, false};
    use.forward.ahead = difference(stage, iteration, policy_.difference, false);
    use.backward.ahead = difference(stage, iteration, policy_.difference, true);
    for (int microbatch = 0; microbatch < history_.microbatches(); ++microbatch)
        uses_[index(stage, iteration, microbatch)] = use;
    uses_[index(stage, iteration, first.forwardMicrobatch)].bellwether = true;
    uses_[index(stage, iteration, first.backwardMicrobatch)].backwardBellwether = true;
}

int WeightUses::difference(int stage, int iteration, VersionDifference how, bool backward) const {
    if (how == VersionDifference::counted) {
        const First first = firstOf(stage, iteration);
        return counted(stage, iteration, backward ? first.backward : first.forward);
    }
    int microbatches = 0;
    for (int microbatch = 0; microbatch < history_.microbatches(); ++microbatch)
        microbatches += history_.pass(stage, iteration, microbatch).present ? 1 : 0;
    const int size = stagesOfPipeline_[at(stage)], rank = position_[at(stage)];
    const bool printed = how == VersionDifference::printed;
    if (backward)
        return printed ? printedBackwardDifference(rank, microbatches)
                       : exactBackwardDifference(rank, microbatches);
    return printed ? printedForwardDifference(size, rank, microbatches)
                   : exactForwardDifference(size, rank, microbatches);
}

int WeightUses::counted(int stage, int iteration, const WeightUse& use) const {
    double leavesS = 0;
    for (int microbatch = 0; microbatch < history_.microbatches(); ++microbatch)
        leavesS =
            std::max(leavesS, history_.pass(inputStage_[at(stage)], iteration, microbatch).backwardEndS);
    const int then = history_.newestAt(stage, leavesS);
    const int own = history_.updatesBefore(stage, iteration) < then ? 1 : 0;
    return std::max(0, then - own - use.version);
}

int WeightUses::staleness(int stage, int iteration, int microbatch, bool backward) const {
    const MicrobatchUse& use = of(stage, iteration, microbatch);
    const WeightUse& weights = backward ? use.backward : use.forward;
    return history_.updatesBefore(stage, iteration) - weights.version - weights.ahead;
}

}  // namespace stagecraft::weights
