#pragma once

#include "core/base/work_context.h"
#include "core/model/plan.h"
#include "core/planners/spp/partition_terms.h"

#include <vector>

namespace stagecraft::planners {

/// SPP's PRM (Sec. IV-B2): W(l, xi, r, i), the least maximal time of a stage or channel when the first l
/// layers form xi stages on devices 0..i-1 of the order, the last on the last r of them, for all of l, xi, r
/// and i at once. All devices are used; base case and bounds as in MODEL.md section 5 (E-SPP-3).
///
/// Exact. The transfer does not depend on l, so G(l') = min over r' of max(W(l', xi-1, r', i-r), transfer) is
/// formed once for each (i-r, r). The stage term falls as l' grows, so with H(a) = min of G over a <= l' < l
/// the minimum over l' of max(G, stage) is the minimum over a of max(H(a), stage(a)), H rising and stage
/// falling; where they cross moves right as l grows. (W itself is not monotone in l, so a search on l' would
/// be wrong.)
class PartitionTable {
public:
    /// @param maxStages tables are made for 1..min(maxStages, layers, devices) stages
    /// @throws Cancelled
    PartitionTable(const CostModel& costs, std::vector<int> order, int maxStages,
                   const WorkContext& context = {});

    /// What the tables take for these numbers, in bytes.
    static double bytes(int layers, int devices, int maxStages);

    int maxStages() const { return static_cast<int>(levels_.size()); }
    /// W(layers, stages, replicas, devices); infinity where there is no such partition.
    double value(int layers, int stages, int replicas, int devices) const;
    /// W(stages) = min over r of W(L, stages, r, V).
    double best(int stages) const;
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
    struct Level {
        int stages = 0;
        std::size_t stride = 0;      // between rows; a row holds W for l = stages, stages + 1, …
        std::vector<double> values;  // rows by (i, r), r fastest
    };

    /// Row of W(·, stages, replicas, devices): devices >= stages, replicas <= devices - stages + 1.
    std::size_t row(const Level& level, int replicas, int devices) const {
        const auto before = static_cast<std::size_t>(devices - level.stages);
        return (before * (before + 1) / 2 + static_cast<std::size_t>(replicas - 1)) * level.stride;
    }
    Level emptyLevel(int stages) const;
    void fillFirst(Level& level) const;
    struct Scratch {
        std::vector<double> below;  // G, from l' = level.stages - 1
        std::vector<double> load;
        std::vector<int> window;
    };
    /// Row (replicas, split + replicas) of `level` from scratch.below.
    void fillRow(Level& level, int replicas, int split, Scratch& scratch) const;

    /// The first `layers` layers in that many stages on the first `devices` devices, before `receivers` more.
    Prefix bestPrefix(int layers, int stages, int devices, int receivers) const;

    std::vector<int> order_;
    PartitionTerms terms_;
    std::vector<Level> levels_;
};

}  // namespace stagecraft::planners
