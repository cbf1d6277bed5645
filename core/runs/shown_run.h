#pragma once

#include "core/model/recording.h"
#include "core/runs/plan_run.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stagecraft::runs {

/// A recording as charts and figures take it. Immutable once made; share it by pointer.
struct RecordedRun {
    explicit RecordedRun(std::shared_ptr<const Recording> made);

    std::shared_ptr<const Recording> recording;
    Plan stages;  ///< the stages with their devices, and nothing else: no layers, no schedule
    /// By device, of the series in bytes; empty where there is none. What fills the memory is not known: all
    /// of it is in one kind.
    std::vector<MemoryCurve> memory;
};

/// What ran when on which devices, as charts and figures ask for it: of a plan that was simulated, or of a
/// recording, which has no plan. Refers to what it was made of.
class ShownRun {
public:
    ShownRun(const PlanRun& run) : run_(&run) {}                     ///< the rest wants one that is ok()
    ShownRun(const RecordedRun& recorded) : recorded_(&recorded) {}  ///< NOLINT

    const Timeline& timeline() const {
        return run_ ? run_->evaluation->timeline : recorded_->recording->timeline;
    }
    const Cluster& cluster() const {
        return run_ ? run_->costs->problem().cluster : recorded_->recording->cluster;
    }
    /// Of a recording RecordedRun::stages.
    const Plan& plan() const { return run_ ? run_->result.plan : recorded_->stages; }
    /// By device; empty: nothing is known of it.
    const std::vector<MemoryCurve>& memory() const {
        return run_ ? run_->evaluation->memory : recorded_->memory;
    }
    /// Of a recording empty.
    std::span<const std::uint32_t> criticalPath() const;
    std::string title() const { return run_ ? run_->title() : recorded_->recording->title; }
    bool ok() const { return recorded_ || run_->ok(); }

    const PlanRun* run() const { return run_; }  ///< null: a recording
    const RecordedRun* recorded() const { return recorded_; }

private:
    const PlanRun* run_ = nullptr;
    const RecordedRun* recorded_ = nullptr;
};

/// What a block waited for and what waited for it, where the recording says so; else its neighbours on its
/// lane.
Neighbours recordedNeighbours(const Recording& recording, std::uint32_t block);

}  // namespace stagecraft::runs
