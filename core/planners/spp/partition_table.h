#pragma once

#include "core/base/work_context.h"
#include "core/model/plan.h"
#include "core/planners/spp/partition_fronts.h"

#include <memory>
#include <vector>

namespace stagecraft::planners {

/// SPP's PRM (Sec. IV-B2): W(l, xi, r, i), the least maximal time of a stage or channel when the first l
/// layers form xi stages on devices 0..i-1 of the order, the last on the last r of them. All devices are
/// used; base case and bounds as in MODEL.md section 5 (E-SPP-3). Exact (PartitionFronts).
class PartitionTable {
public:
    enum class Extent : std::uint8_t {
        all,        ///< W is known of every state
        partitions  ///< of those that best() and partition() ask about: the same answers sooner
    };
    /// @param maxStages partitions into 1..min(maxStages, layers, devices) stages
    /// @throws Cancelled
    PartitionTable(const CostModel& costs, std::vector<int> order, int maxStages,
                   const WorkContext& context = {}, Extent extent = Extent::all);

    struct Effort {
        double bytes = 0;
        double seconds = 0;  ///< of one core of 2020
    };
    /// At most, where nothing can be left out; mostly far less for Extent::partitions.
    static Effort effort(int layers, int devices, int maxStages);

    int maxStages() const { return fronts_->maxStages(); }
    /// W(layers, stages, replicas, devices); infinity where there is no such partition.
    double value(int layers, int stages, int replicas, int devices) const;
    /// W(stages) = min over r of W(L, stages, r, V).
    double best(int stages) const { return fronts_->best(stages); }
    /// The partition that reaches best(stages). Ties (betterObjective, planning.h): fewer replicas in the
    /// last stage, then the smallest l', then the smallest r'. Each l' has the r' for which max(W(l', xi-1,
    /// r', i-r), transfer) is least, whatever the last stage takes, so that each prefix is itself optimal.
    std::vector<Stage> partition(int stages) const;
    const std::vector<int>& order() const { return order_; }

    /// What is before a last stage, with the transfer to it.
    struct Prefix {
        int layers = 0;
        int replicas = 0;  ///< of its own last stage
        double seconds = 0;
    };
    /// How value(layers, stages, replicas, devices) is reached, by the rule for ties; stages > 1.
    Prefix predecessor(int layers, int stages, int replicas, int devices) const;

private:
    /// Whether W(...) is no worse than `seconds` but for a tie.
    bool reaches(double seconds, int layers, int stages, int replicas, int devices) const;

    std::vector<int> order_;
    PartitionTerms terms_;
    std::unique_ptr<const PartitionFronts> fronts_;
};

}  // namespace stagecraft::planners
