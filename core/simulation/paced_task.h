#pragma once

#include "core/base/indices.h"
#include "core/simulation/execution_graph.h"

#include <algorithm>
#include <vector>

namespace stagecraft::simulation {

/// A task that is under way with work left, and a speed that others may change: a swap that pauses while
/// transfers use its host link, a flow that shares links. As long as its speed is 1 it ends, to the bit, when
/// a task of a fixed length would.
class PacedTask {
public:
    /// A time in which it had one speed.
    struct Stretch {
        double fromS = 0, toS = 0;
        double speed = 1;
    };

    PacedTask() = default;
    PacedTask(TaskRef task, double startS, double durationS)
        : task_(task), leftS_(durationS), changedS_(startS), endsS_(startS + durationS) {}

    TaskRef task() const { return task_; }
    double speed() const { return speed_; }
    /// Infinite while it does not get on.
    double endsS() const { return endsS_; }

    /// What was before has no speed: from here on it sends.
    void flows(double atS) {
        leftS_ -= std::max(0.0, atS - changedS_);
        changedS_ = atS;
        stretches_.clear();
    }
    void setSpeed(double speed, double atS) {
        const double untilS = std::max(atS, changedS_);
        addStretch(untilS);
        if (speed_ > 0) leftS_ -= speed_ * (untilS - changedS_);
        changedS_ = untilS;
        speed_ = speed;
        endsS_ = speed > 0 ? untilS + std::max(0.0, leftS_) / speed : infinity;
    }
    /// Those until then, at which it ended.
    const std::vector<Stretch>& stretchesUntil(double endS) {
        addStretch(endS);
        return stretches_;
    }

private:
    void addStretch(double untilS) {
        if (untilS > changedS_) stretches_.push_back({changedS_, untilS, speed_});
    }

    TaskRef task_;
    double leftS_ = 0;  ///< at `changedS_`, if its speed were 1 from then on
    double changedS_ = 0, endsS_ = 0;
    double speed_ = 1;
    std::vector<Stretch> stretches_;
};

}  // namespace stagecraft::simulation
