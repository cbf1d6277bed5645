#pragma once

#include "core/base/indices.h"
#include "core/model/plan.h"
#include "core/model/timeline.h"

#include <vector>

namespace stagecraft::weights {

/// When a microbatch passed through a stage.
struct PassInstants {
    bool present = false;  ///< false: another copy of the network takes it
    double forwardStartS = 0;
    double backwardStartS = 0;
    double backwardEndS = 0;  ///< of the weight gradient where the plan splits the backward
    std::uint32_t forwardBlock = noBlock;
};

struct StageUpdate {
    int iteration = 0;
    double atS = 0;
};

/// Passes and updates of each stage, read off a timeline.
class PassHistory {
public:
    PassHistory(const Plan& plan, const Timeline& timeline);

    int iterations() const { return iterations_; }
    int microbatches() const { return microbatches_; }  ///< of an iteration, all copies together
    int stageCount() const { return static_cast<int>(stages_.size()); }
    const PassInstants& pass(int stage, int iteration, int microbatch) const {
        return stages_[at(stage)].passes[index(iteration, microbatch)];
    }
    /// In order of time. Periodic patterns say nothing of updates: one then is at the end of its
    /// mini-batch's last backward.
    const std::vector<StageUpdate>& updates(int stage) const { return stages_[at(stage)].updates; }
    /// How many updates of the stage come before that of the iteration.
    int updatesBefore(int stage, int iteration) const {
        return stages_[at(stage)].updatePosition[at(iteration)];
    }
    /// Updates of the stage that have ended at `seconds`: the number of its newest version.
    int newestAt(int stage, double seconds) const;
    /// The timeline runs the stage's forward again before the backward.
    bool recomputes(int stage) const { return stages_[at(stage)].recomputes; }

private:
    struct StageHistory {
        std::vector<PassInstants> passes;
        std::vector<StageUpdate> updates;
        std::vector<int> updatePosition;  // by iteration
        bool recomputes = false;
    };

    std::size_t index(int iteration, int microbatch) const {
        return at(iteration) * at(microbatches_) + at(microbatch);
    }
    void readBlocks(const Timeline& timeline);
    void completeUpdates(StageHistory& history) const;

    int iterations_ = 0, microbatches_ = 0;
    std::vector<StageHistory> stages_;
};

}  // namespace stagecraft::weights
