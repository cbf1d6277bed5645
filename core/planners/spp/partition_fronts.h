#pragma once

#include "core/base/work_context.h"
#include "core/planners/spp/partition_bands.h"

#include <cstdint>
#include <vector>

namespace stagecraft::planners {

/// SPP's PRM (Sec. IV-B2) where stages end at given numbers of devices: for the first l layers in xi stages
/// on the first i devices of the order, W(l, xi, r, i) for those r alone (the replicas of the last of the
/// stages) that are best before some next stage. Which are few: with the least W goes whatever is quicker to
/// send on, and that only where sending takes longer than W.
///
/// Exact. The transfer does not depend on l, so G(l') = min over r' of max(W(l', xi-1, r', i-r), transfer) is
/// formed once for each (i-r, r). The stage term falls as l' grows, so with H(a) = min of G over a <= l' < l
/// the minimum over l' of max(G, stage) is the minimum over a of max(H(a), stage(a)), H rising and stage
/// falling; where they cross moves right as l grows. (W itself is not monotone in l, so a search on l' would
/// be wrong.)
class PartitionFronts {
public:
    /// @param terms outlives this
    /// @param places ascending numbers of devices, the last all of them
    /// @throws Cancelled
    PartitionFronts(const PartitionTerms& terms, const PartitionBands& bands, std::vector<int> places,
                    const WorkContext& context);

    /// What it stores for each number of stages, of devices and of layers, apart from candidates.
    static constexpr double bytesPerEntry =
        sizeof(double) + sizeof(int) + sizeof(std::uint8_t) + sizeof(std::uint32_t);

    int maxStages() const { return static_cast<int>(levels_.size()); }
    /// G: the first `layers` layers in that many stages on the first `devices` devices and the transfer to
    /// `receivers` more; infinity where the bands have no such prefix.
    double leastBefore(int layers, int stages, int devices, int receivers) const;
    /// W(layers, stages, replicas, devices), by what is before it.
    double value(int layers, int stages, int replicas, int devices) const;
    /// W(stages) = min over r of W(L, stages, r, V).
    double best(int stages) const;
    /// Numbers of layers of which leastBefore() may be finite.
    PartitionBands::Layers layers(int stages, int devices) const;

private:
    struct Candidate {
        double seconds = 0;
        int replicas = 0;
    };
    /// What is known of one number of devices, by layers from `first` on; entries count from `start`.
    struct Block {
        int first = 0, count = 0;
        std::size_t start = 0;
        bool settled = false;  // all of its entries are
        int end() const { return first + count; }
    };
    struct Level {
        std::vector<Block> blocks;    // by devices
        std::vector<double> seconds;  // the least W
        std::vector<int> replicas;    // with which it is reached, the most
        /// Whether no transfer takes longer than W; else others with a longer W may do better.
        std::vector<std::uint8_t> settled;
        std::vector<std::uint32_t> others;  // by entry, its first; one more than entries
        std::vector<Candidate> candidates;  // of each entry by W
    };
    class Filler;

    double leastWith(const Level& level, std::size_t entry, int layers, int devices, int receivers) const;

    const PartitionTerms& terms_;
    std::vector<Level> levels_;
};

}  // namespace stagecraft::planners
