#pragma once

#include "core/planners/automatic/pipeline_layout.h"
#include "core/planners/automatic/rank_layers.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace stagecraft::planners {

/// What keeps plans of a layout from being faster.
enum class BoundReason {
    work,         ///< the ranks share all work evenly, after the first passes have reached them
    layers,       ///< some rank has its share of the largest layers, which are not cut
    chain,        ///< the way of a microbatch through all layers and back
    memory,       ///< activations are held for too long, or computed again, to fit
    stages,       ///< one stage a rank: the slowest of any cut, with its sync
    sync,         ///< what copies send to each other for every microbatch
    noMemory,     ///< nothing fits
    fitsWithLess  ///< ZeRO-2, whose plans fit with ZeRO-1 too, and take no less time
};
/// "work", "the largest layers", …: what bounds.
const char* boundReasonText(BoundReason reason);

struct TimeBound {
    double seconds = 0;  ///< infinity: no plan of the layout fits into memory
    BoundReason reason = BoundReason::work;
    bool fits() const { return reason != BoundReason::noMemory; }
};

/// Proven lower bounds on the time of an iteration of every plan of a layout (MODEL.md section 3 leaves room
/// for any that is proven): whatever the cut into stages, the number and place of the stages of each rank,
/// the order of passes, and whether activations of a layer are kept or computed again. A layer is on one
/// rank, sequences are whole, and activations stay on the devices of the pipeline.
///
/// Let f, b, w be the seconds of a layer's forward, input and weight gradient, x the share of its activations
/// a that are computed again, which takes r, and R the least time from the start of its forward to the end of
/// its input gradient: that of its own and of all passes after it on the longest way and back. In time T, p
/// ranks of memory C beyond weights and optimizer, and m microbatches:
///   work:   p T >= m sum (f + b + w + x r) + sum over ranks of the time until the first pass can reach it;
///   speeds: a rank is as fast as its slowest device: T (sum of the fastest speeds) >= m sum of what is
///   computed; memory: T p C >= m sum (1 - x) a R, since a byte-second is had once (Little's law); layers: of
///   the k largest layers some rank has ceil(k/p); chain:  a microbatch passes all layers, and the layer with
///   most work has all microbatches between. A rank updates its layers once their passes and syncs are done,
///   which takes u of each: sum u is added to the work, and u to what one layer or one stage takes. What is
///   gathered for a forward or a backward (ZeRO-3) comes between the pass before it on its rank and itself,
///   and adds to f + b as far as nothing is computed beside it, but for chain and R.
/// The least T for which some x obeys the first two is found by taking savings in the order of byte-seconds
/// for each second: a fractional knapsack.
class LayoutBound {
public:
    /// @param layout whose ranks do not matter
    LayoutBound(std::shared_ptr<const RankLayers> layers, const MachineFacts& machines,
                const PipelineLayout& layout);
    /// Of the layout under whatever stage of ZeRO: with the states of ZeRO-3, and what copies send under any.
    static LayoutBound underAnyZero(std::shared_ptr<const RankLayers> layers, const MachineFacts& machines,
                                    PipelineLayout layout);

    /// Of any plan on so many ranks.
    TimeBound ofAnyPlan(int ranks) const { return bounded(ranks, fillS(ranks)); }
    /// Of any plan on so many ranks or fewer.
    TimeBound ofAtMost(int ranks) const { return bounded(ranks, 0); }
    /// Seconds of all ranks together, whatever their number: each is there for the whole iteration, so that
    /// p T is no less than all work, the updates, and what the layer with least sends.
    /// @param moreS of work, of each microbatch of all layers
    double rankSecondsOfAny(double moreS = 0) const {
        return std::max(layout_.microbatches * (total_.workS + moreS) + updates_.back() + leastSyncS_,
                        layout_.microbatches * reservedSyncS_);
    }
    /// The same of so many ranks, with the time until the first pass can reach each of them.
    double rankSecondsOf(int ranks, double moreS) const {
        return layout_.microbatches * (total_.workS + moreS) + updates_.back() + fillS(ranks) +
               ranks * leastSyncS_;
    }
    /// Of those that have one stage on each rank: for each cut, the time to reach a stage, its work with what
    /// of it is computed again for lack of memory, and the sync of its gradients come one after the other.
    /// The least over all cuts is found by filling stages from the front, which is exact since a stage that
    /// begins later or ends earlier takes no longer.
    TimeBound ofOneStageEach(int ranks) const;
    /// The first layers of stages that are within `seconds` by that bound, at most `ranks` of them; empty if
    /// there are none.
    std::vector<int> cutWithin(int ranks, double seconds) const;

    const RankLayers& layers() const { return *layers_; }
    /// What a device holds of a layer between passes.
    double stateBytes(int layer) const { return states_[static_cast<std::size_t>(layer)]; }

private:
    LayoutBound(std::shared_ptr<const RankLayers> layers, const MachineFacts& machines,
                const PipelineLayout& layout, bool anyZero);
    struct Terms {
        double workS = 0, againS = 0;  ///< of a microbatch
        double areaBytesS = 0, savedBytesS = 0;
    };
    void addSums(const MachineFacts& machines, bool anyZero);
    void addMonotoneWays();
    void addSavings();
    double syncOf(const LayerOnRank& layer, const MachineFacts& machines, double rounds) const;
    /// Seconds of computing again without which so many byte-seconds of a microbatch do not go.
    double againFor(double bytesS) const;
    void addLayer(const LayerOnRank& layer, double stateBytes, double syncS, double gatherS, double updateS);
    double fillS(int ranks) const;
    double memoryOf(int ranks) const;
    TimeBound bounded(int ranks, double fillS) const;
    bool allows(int ranks, double fillS, double seconds) const;
    double stageS(int first, int last, double seconds) const;

    std::shared_ptr<const RankLayers> layers_;
    PipelineLayout layout_;
    double roomBytes_ = 0;  ///< of a device
    double computedS_ = 0;  ///< of a microbatch on a device of speed 1
    std::vector<double> states_, sync_;
    std::vector<double> reachS_, roundS_;  ///< by layer, as stages that begin with it are bounded
    // Prefix sums by layer.
    std::vector<double> work_, state_, syncs_, updates_, kept_, least_;
    double reservedSyncS_ = 0;  ///< for every microbatch, of all layers
    double leastSyncS_ = 0;     ///< of the layer with least
    Terms total_;
    double largestShareS_ = 0;
    double chainS_ = 0;
    double bestRatio_ = 0;                      ///< bytes a second of the best saving
    std::vector<double> falling_;               ///< of layers, all passes and the update; falling
    std::vector<double> savedBytesS_, savedS_;  ///< prefix sums in the order in which they are taken
    double largestLayerBytes_ = 0;
};

}  // namespace stagecraft::planners
