#include "core/weights/pass_history.h"

#include <algorithm>
#include <limits>

namespace stagecraft::weights {

namespace {

/// How far two instants may be apart and still count as one: sums of many durations round.
double slackAt(double seconds) { return 1e-12 + 1e-11 * seconds; }

constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

PassHistory::PassHistory(const Plan& plan, const Timeline& timeline) : stages_(plan.stages.size()) {
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        iterations_ = std::max(iterations_, timeline.iteration[block] + 1);
        microbatches_ = std::max(microbatches_, timeline.microbatch[block] + 1);
    }
    for (const PairedBackward& pair : timeline.pairs)
        microbatches_ = std::max(microbatches_, pair.microbatch + 1);
    for (StageHistory& history : stages_) {
        history.passes.resize(at(iterations_) * at(microbatches_));
        for (int iteration = 0; iteration < iterations_; ++iteration)
            history.updates.push_back({iteration, never});
    }
    readBlocks(timeline);
    for (StageHistory& history : stages_) completeUpdates(history);
}

void PassHistory::readBlocks(const Timeline& timeline) {
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        const BlockKind kind = timeline.kind[block];
        StageHistory& history = stages_[at(timeline.stage[block])];
        // A stage that spans several lanes has the same block on each of them.
        if (kind == BlockKind::update) {
            history.updates[at(timeline.iteration[block])].atS = timeline.endS[block];
            continue;
        }
        history.recomputes |= kind == BlockKind::recompute;
        if (!isPass(kind)) continue;
        timeline.eachPass(block, [&](const Pass& own) {
            PassInstants& pass =
                stages_[at(own.stage)].passes[index(timeline.iteration[block], own.microbatch)];
            pass.present = true;
            if (own.kind == BlockKind::forward) {
                pass.forwardStartS = timeline.startS[block];
                pass.forwardBlock = block;
            }
            if (givesGradient(own.kind)) pass.backwardStartS = timeline.startS[block];
            if (own.kind == BlockKind::backward || own.kind == BlockKind::weightGradient)
                pass.backwardEndS = timeline.endS[block];
        });
    }
}

void PassHistory::completeUpdates(StageHistory& history) const {
    for (StageUpdate& update : history.updates) {
        if (update.atS != never) continue;
        update.atS = 0;
        for (int microbatch = 0; microbatch < microbatches_; ++microbatch)
            update.atS =
                std::max(update.atS, history.passes[index(update.iteration, microbatch)].backwardEndS);
    }
    std::stable_sort(history.updates.begin(), history.updates.end(),
                     [](const StageUpdate& a, const StageUpdate& b) { return a.atS < b.atS; });
    history.updatePosition.resize(at(iterations_));
    for (std::size_t position = 0; position < history.updates.size(); ++position)
        history.updatePosition[at(history.updates[position].iteration)] = static_cast<int>(position);
}

int PassHistory::newestAt(int stage, double seconds) const {
    const std::vector<StageUpdate>& all = updates(stage);
    const auto later =
        std::upper_bound(all.begin(), all.end(), seconds + slackAt(seconds),
                         [](double limit, const StageUpdate& update) { return limit < update.atS; });
    return static_cast<int>(later - all.begin());
}

}  // namespace stagecraft::weights
