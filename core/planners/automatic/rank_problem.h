#pragma once

#include "core/base/indices.h"
#include "core/planners/automatic/pipeline_layout.h"
#include "core/planners/automatic/rank_layers.h"

#include <memory>
#include <vector>

namespace stagecraft::planners {

/// Where the copies of a rank are, in the order of servers.
enum class CopiesPlace {
    together,  ///< side by side, and ranks one after the other: what copies send to each other stays near
    apart,     ///< each copy's pipeline side by side: what ranks send to each other stays near
};

/// What the engine makes of a plan of a layout.
struct RankCourse {
    double iterationS = 0;               ///< with the sync of what copies hold
    double peakBytes = 0;                ///< of the rank with most
    std::vector<double> lacksBytes;      ///< by rank; 0: it fits
    std::vector<double> lacksHeldBytes;  ///< by rank: the same without buffers of transfers
    std::vector<double> roomBytes;       ///< by rank: left at the peak
    std::vector<int> inFlight;           ///< by stage: microbatches at most
    bool fits() const;
};

/// A layout as a pipeline of one device a rank: copies do the same at the same time, and so do the ranks of a
/// group, so that each rank is simulated once, whatever the number of its devices. Plans for it take the same
/// time on all devices wherever all ranks have the same links, and what is sent does not share them.
class RankProblem {
public:
    RankProblem(std::shared_ptr<const RankLayers> layers, const MachineFacts& machines,
                const PipelineLayout& layout, CopiesPlace place);

    const PipelineLayout& layout() const { return layout_; }
    /// Of `ranks` devices, with microbatches of one copy.
    const CostModel& costs() const { return costs_; }
    /// The same with fewer microbatches.
    CostModel withMicrobatches(int microbatches) const;
    /// @param costs of this problem, with some number of microbatches
    /// @param worthS of a plan that takes no less, its time is told and nothing else
    /// @throws std::invalid_argument, SimulationError where the schedule does not take the plan
    RankCourse courseOf(const CostModel& costs, const Plan& plan, double worthS = infinity) const;
    /// Of a stage's gradients and parameters, between its copies.
    double syncS(const Stage& stage) const;

    /// The plan on the cluster's devices, in mini-batches as the problem of the layout has them.
    Plan onDevices(Plan plan) const;
    std::vector<int> devicesOfRank(int rank) const;

private:
    Problem problemOfRanks() const;
    void addLinks(Cluster& cluster) const;
    void addSyncs();

    std::shared_ptr<const RankLayers> layers_;
    const MachineFacts& machines_;
    PipelineLayout layout_;
    CopiesPlace place_;
    CostModel costs_;
    double roundsSum_ = 0, rounds_ = 0;  ///< bytes once round the ring for each of parameters: summed, or not
    double roundCount_ = 0;              ///< collectives that the latter are
    CollectiveRanks dense_, experts_;
    std::vector<double> denseBytes_, expertBytes_;  ///< prefix sums, of parameters
};

}  // namespace stagecraft::planners
