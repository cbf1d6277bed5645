#include "core/training/weight_use.h"

#include "core/training/prediction.h"

#include <algorithm>

namespace stagecraft::training {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

WeightUses::WeightUses(const Plan& plan, const PassHistory& history, Policy policy,
                       VersionDifference difference)
    : history_(history), policy_(policy), difference_(difference) {
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
            if (predicts(policy)) {
                foretell(stage, iteration);
                continue;
            }
            for (int microbatch = 0; microbatch < history.microbatches(); ++microbatch) {
                const PassTimes& pass = history.pass(stage, iteration, microbatch);
                if (!pass.present) continue;
                MicrobatchUse& use = uses_[index(stage, iteration, microbatch)];
                use.forward.version = use.backward.version = named(stage, iteration, microbatch);
                requireStanding(stage, iteration, microbatch, use.forward.version);
                // Its own update comes after it, even if a backward takes no time.
                if (policy == Policy::noStashing)
                    use.backward.version = std::min(history.newestAt(stage, pass.backwardStartS),
                                                    history.updatesBefore(stage, iteration));
            }
        }
}

int WeightUses::named(int stage, int iteration, int microbatch) const {
    if (policy_ == Policy::doubleBuffer) return std::max(0, iteration - 1);
    const int namer = policy_ == Policy::verticalSync ? inputStage_[at(stage)] : stage;
    return std::min(history_.newestAt(namer, history_.pass(namer, iteration, microbatch).forwardStartS),
                    history_.updatesBefore(namer, iteration));
}

void WeightUses::requireStanding(int stage, int iteration, int microbatch, int version) const {
    const PassTimes& pass = history_.pass(stage, iteration, microbatch);
    const int newest = history_.newestAt(stage, pass.forwardStartS);
    if (version <= newest) return;
    throw TrainingError(describe(policy_).title + " wants weight version " + std::to_string(version) +
                        " for microbatch " + std::to_string(microbatch) + " of mini-batch " +
                        std::to_string(iteration) + " on stage " + std::to_string(stage) +
                        ", but the newest then is " + std::to_string(newest) +
                        (policy_ == Policy::doubleBuffer
                             ? "; expected more microbatches, at least as many as the pipeline holds at once"
                             : ""));
}

/// The bellwether, which is the first of its mini-batch to come, foretells for all of it.
void WeightUses::foretell(int stage, int iteration) {
    const PassTimes *first = nullptr, *firstBack = nullptr;
    for (int microbatch = 0; microbatch < history_.microbatches(); ++microbatch) {
        const PassTimes& pass = history_.pass(stage, iteration, microbatch);
        if (!pass.present) continue;
        if (!first || pass.forwardStartS < first->forwardStartS) first = &pass;
        if (!firstBack || pass.backwardStartS < firstBack->backwardStartS) firstBack = &pass;
    }
    if (!first) return;
    const int own = history_.updatesBefore(stage, iteration);
    MicrobatchUse use;
    use.forward.version = std::min(history_.newestAt(stage, first->forwardStartS), own);
    use.backward.version = std::min(history_.newestAt(stage, firstBack->backwardStartS), own);
    use.forward.ahead = ahead(stage, iteration, use.forward, false);
    use.backward.ahead = ahead(stage, iteration, use.backward, true);
    for (int microbatch = 0; microbatch < history_.microbatches(); ++microbatch)
        uses_[index(stage, iteration, microbatch)] = use;
}

int WeightUses::ahead(int stage, int iteration, const WeightUse& use, bool backward) const {
    if (difference_ == VersionDifference::counted) return counted(stage, iteration, use);
    int microbatches = 0;
    for (int microbatch = 0; microbatch < history_.microbatches(); ++microbatch)
        microbatches += history_.pass(stage, iteration, microbatch).present ? 1 : 0;
    const int size = stagesOfPipeline_[at(stage)], rank = position_[at(stage)];
    const bool printed = difference_ == VersionDifference::printed && policy_ == Policy::xpipe;
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

}  // namespace stagecraft::training
