#pragma once

#include "core/cost/cost_model.h"
#include "core/model/plan.h"

#include <algorithm>
#include <vector>

namespace stagecraft::planners::vpipe {

/// How a plan changes into another while it runs (vPipe Sec. 4.3).
enum class MigrationKind {
    live,         ///< vPipe's protocol: the pipeline stays full
    stopAndCopy,  ///< nothing new is injected, the pipeline runs empty, layers move, and it starts again
};

struct MigrationOptions {
    MigrationKind kind = MigrationKind::live;
    /// k: layers leave after this microbatch's backward, counted over all mini-batches.
    int afterMicrobatch = 0;
    int microbatches = 0;  ///< to simulate in all; 0: until the pipeline has been full again for a while
};

/// Layers of a stage for one microbatch: first, and the one after the last; empty where first == end.
struct LayerRange {
    int first = 0, end = 0;
};

/// Which microbatch runs which layers on which stage while a plan changes into another (Migration).
class MigrationCourse {
public:
    /// Where the stages after the first begin.
    using Bounds = std::vector<int>;

    /// @throws SimulationError if the plans cannot change into one another
    MigrationCourse(const CostModel& costs, const Plan& from, const Plan& to,
                    const MigrationOptions& options);

    int stages() const { return stages_; }
    int microbatches() const { return microbatches_; }  ///< whole mini-batches
    int perMiniBatch() const { return perMiniBatch_; }
    bool barrier() const { return barrier_; }
    bool live() const { return options_.kind == MigrationKind::live; }

    /// Migrations to a neighbour, one after the other; their bounds from first to last.
    int migrations() const { return static_cast<int>(steps_.size()) - 1; }
    const std::vector<Bounds>& steps() const { return steps_; }
    /// k of a migration: its layers leave after this microbatch's backward.
    int triggerOf(int migration) const { return options_.afterMicrobatch + 2 * stages_ * migration; }
    /// The first microbatch whose forward on both sides of a bound runs as the migration leaves it.
    int forwardSwitch(int migration, int bound) const;
    int backwardSwitch(int migration) const;
    /// Microbatches before this one are injected already when a stop comes.
    int stopAt(int migration) const;
    int endOfMiniBatch(int microbatch) const { return (microbatch / perMiniBatch_ + 1) * perMiniBatch_; }

    Bounds forwardBounds(int microbatch) const;
    Bounds backwardBounds(int microbatch) const;
    LayerRange rangeOf(const Bounds& bounds, int stage) const;
    /// Stretches of microbatches in which the pipeline fills and drains once: where each ends. @param stops
    /// false: as if nothing had to stop for what moves
    std::vector<int> stretchEnds(bool stops) const;
    /// Updates that a stage has had, without a barrier, when a microbatch's forward starts there.
    int versionAt(int stage, int microbatch) const {
        return std::max(0, microbatch - stages_ + stage + 1) / perMiniBatch_;
    }

private:
    template <typename SwitchOf>
    Bounds boundsFor(int microbatch, SwitchOf switchOf) const;

    MigrationOptions options_;
    int stages_, layers_, perMiniBatch_;
    bool barrier_;
    std::vector<Bounds> steps_;
    int microbatches_ = 0;
};

}  // namespace stagecraft::planners::vpipe
