#pragma once

#include "core/base/indices.h"
#include "core/planners/automatic/passes_in_order.h"
#include "core/planners/automatic/pipeline_layout.h"
#include "core/planners/automatic/plan_bound.h"
#include "core/planners/automatic/rank_layers.h"
#include "core/planners/automatic/rank_syncs.h"

#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <utility>
#include <vector>

namespace stagecraft::planners {

/// Where the copies of a rank are, in the order of servers.
enum class CopiesPlace {
    together,  ///< side by side, and ranks one after the other: what copies send to each other stays near
    apart,     ///< each copy's pipeline side by side: what ranks send to each other stays near
};

/// What the engine makes of a plan of a layout.
struct RankCourse {
    explicit RankCourse(int ranks) : passes(ranks) {}

    double iterationS = 0;               ///< with the sync of what copies hold
    double peakBytes = 0;                ///< of the rank with most
    std::vector<double> lacksBytes;      ///< by rank; 0: it fits
    std::vector<double> lacksHeldBytes;  ///< by rank: the same without buffers of transfers
    std::vector<double> roomBytes;       ///< by rank: left at the peak
    PassesInOrder passes;
    bool fits() const;
};

/// A layout as a pipeline of one device a rank: copies do the same at the same time, and so do the ranks of a
/// group, so that each rank is simulated once, whatever the number of its devices. Plans for it take the same
/// time on all devices wherever all ranks have the same links, and what is sent does not share them.
class RankProblem {
public:
    /// @param order one of the machines' orders
    RankProblem(std::shared_ptr<const RankLayers> layers, const MachineFacts& machines,
                const PipelineLayout& layout, CopiesPlace place, std::size_t order = 0);

    const PipelineLayout& layout() const { return layout_; }
    /// Of `ranks` devices, with microbatches of one copy.
    const CostModel& costs() const { return costs_; }
    /// courseOf() throws Cancelled once that asks to stop.
    void answerTo(std::stop_token stop) { stop_ = std::move(stop); }
    const std::stop_token& stop() const { return stop_; }
    /// The same with fewer microbatches.
    CostModel withMicrobatches(int microbatches) const;
    /// @param costs of this problem, with some number of microbatches
    /// @param worthS of a plan that takes no less, its time is told and nothing else
    /// @throws std::invalid_argument, SimulationError where the schedule does not take the plan; Cancelled
    RankCourse courseOf(const CostModel& costs, const Plan& plan, double worthS = infinity) const;
    /// Of a stage, at least: what its copies send to each other ahead of passes and after its last backward,
    /// and its update.
    BesidePasses besidePasses(const Stage& stage) const;

    /// The plan on the cluster's devices, in mini-batches as the problem of the layout has them.
    Plan onDevices(Plan plan) const;
    std::vector<int> devicesOfRank(int rank) const;

private:
    Problem problemOfRanks() const;
    /// Of a rank whose devices have these paces: in each part of each layer of the slowest, which is no less
    /// than what the devices take together, with what its group sends.
    LayerProfile profileAt(const std::vector<ComputePace>& paces) const;
    void addLinks(Cluster& cluster) const;
    RankCopies copies() const;
    void addSums();
    bool isAddedAfterwards(const Plan& plan) const;
    const CostModel& bareCosts(const CostModel& costs) const;
    RankSyncs syncsOf(const Plan& plan) const;

    std::shared_ptr<const RankLayers> layers_;
    const MachineFacts& machines_;
    PipelineLayout layout_;
    CopiesPlace place_;
    std::size_t order_;
    CostModel costs_;
    std::vector<double> updatesS_;  ///< of the optimizer's step: prefix sums by layer
    struct ShareOfSync {
        StateSync sync;
        double share = 1;  ///< while nothing is computed, at least
    };
    std::vector<ShareOfSync> lastSyncs_;     ///< after the last backward of a stage
    std::vector<ShareOfSync> gathers_;       ///< ahead of passes
    mutable std::mutex mutex_;               ///< of what follows
    mutable std::map<int, CostModel> bare_;  ///< without copies and updates, by microbatches
    std::stop_token stop_;
};

}  // namespace stagecraft::planners
