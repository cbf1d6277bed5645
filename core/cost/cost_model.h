#pragma once

#include "core/cost/collective_hops.h"
#include "core/cost/inside_sends.h"
#include "core/cost/interconnect.h"
#include "core/cost/kind_sums.h"
#include "core/cost/layer_sums.h"
#include "core/cost/rank_copies.h"
#include "core/cost/state_syncs.h"
#include "core/model/plan.h"
#include "core/model/problem.h"
#include "core/model/profile_sizes.h"
#include "core/model/vocabulary.h"

#include <algorithm>
#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::cost {

/// What one stage costs for one microbatch, or for one slice of it where the plan cuts sequences, on each of
/// its replicas, in seconds and bytes. Slices are alike: the plan's cuts share the work out evenly (the
/// computation-wise partition of Sun et al., Seq1F1B, 2024).
struct StageCost {
    double forwardS = 0;
    double backwardS = 0;        ///< input and weight gradient together
    double weightGradientS = 0;  ///< the part of backwardS that a split backward defers
    double recomputeS = 0;       ///< forward time of the recomputed layers
    double swapBytes = 0;        ///< per device, one way
    double swapS = 0;            ///< one way, over the slowest host link of the stage
    // Among them, while nothing is computed: what the ranks of the stage's group send to each other, and of
    // that to experts and back.
    double sentForwardS = 0, sentBackwardS = 0, sentAgainS = 0;  ///< the last of recomputeS
    double expertForwardS = 0, expertBackwardS = 0;
};

/// By which times a device computes: those of a kind (KindSums), divided by a speed.
struct ComputePace {
    int kind = 0;
    double speed = 1;
    bool operator==(const ComputePace&) const = default;
    auto operator<=>(const ComputePace&) const = default;
};

/// Seconds of computing.
struct ComputedTimes {
    double forwardS = 0;
    double backwardS = 0;  ///< input and weight gradient together
    double weightGradientS = 0;
    double recomputeS = 0;  ///< of the layers that are computed again
    double bothS() const { return forwardS + backwardS; }
    /// Of each the longer.
    void takeLonger(const ComputedTimes& other) {
        forwardS = std::max(forwardS, other.forwardS);
        backwardS = std::max(backwardS, other.backwardS);
        weightGradientS = std::max(weightGradientS, other.weightGradientS);
        recomputeS = std::max(recomputeS, other.recomputeS);
    }
};

/// A transfer between two stages for one microbatch. Zero seconds and no channel if the device sets are
/// equal.
struct TransferCost {
    double forwardS = 0;
    double backwardS = 0;
    double forwardBytes = 0;  ///< d^f: sum over all replicas
    double backwardBytes = 0;
    double latencyS = 0;  ///< of either time, what passes before the first byte: links' and the setup's
};

/// Two stages of one pipeline joined by at least one layer edge, from < to; bytes as in StageCost.
struct StageEdge {
    int from = 0;
    int to = 0;
    double forwardBytes = 0;
    double backwardBytes = 0;
    bool needsTransfer = true;  ///< false if both stages have the same device set
};

/// Devices that hold the same parameters, and what each of them sends once round.
struct ParameterRing {
    std::vector<int> devices;
    double roundBytes = 0;
};
/// The same where a collective has a start, and so may take another way than round.
struct ParameterCollective {
    ParameterRing ring;
    CollectiveRanks ranks;
};

/// What a StateSync takes, on the device that is busy for longest.
struct SyncCost {
    double seconds = 0;
    double bytes = 0;                                           ///< the most that one device sends
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::ring;  ///< of the collective that takes longest
};

/// Devices that hold the same layers and must go on with the same weights: the stages (one, or several of
/// different pipelines) whose layers overlap, and what it takes to send the layers' parameters once round the
/// ring of those who hold them.
struct DataParallelGroup {
    std::vector<int> stages;   ///< ascending
    std::vector<int> devices;  ///< ascending, union over the stages
    double roundS = 0;         ///< on the busiest device
    double roundBytes = 0;     ///< the most that one device sends
    /// Along which that goes: one for each part of the parameters that has the same holders.
    std::vector<ParameterRing> rings;

    /// Empty: all go round rings, and take what their bytes take (SPP, Eq. (1)).
    std::vector<ParameterCollective> collectives;
    double startS = 0;  ///< of each of them

    CollectiveCost costOf(const ParameterCollective& collective, const StateSync& sync) const {
        return fastestCollectives(
            {1, sync.roundBytes * collective.ring.roundBytes, sync.kind == BlockKind::allReduce},
            collective.ranks, startS);
    }
    SyncCost costOf(const StateSync& sync) const;
    double secondsOf(const StateSync& sync) const { return costOf(sync).seconds; }
    /// What of that goes from one device to another.
    std::vector<RankHop> hopsOf(const StateSync& sync, const Interconnect& net) const;
};

/// MODEL.md section 1 for one problem: prefix sums over the layers and the device-to-device matrix.
/// Immutable, so that threads may share one.
class CostModel {
public:
    explicit CostModel(Problem problem);
    /// The same costs under another setup; the interconnect is shared.
    CostModel withSetup(const TrainingSetup& setup) const;
    /// The costs of another network on the same machines; the interconnect is shared.
    CostModel withProfile(LayerProfile profile, const TrainingSetup& setup) const;
    /// The same with each device in the place of all devices of a rank: in plans with one device a stage,
    /// states are shared out among these, and synchronised.
    CostModel withCopies(const RankCopies& copies) const;

    const Problem& problem() const { return *problem_; }
    const Interconnect& interconnect() const { return *interconnect_; }
    /// model::whyUnplannable() of the problem, which looks at every link, worked out once.
    const std::optional<std::string>& whyUnplannable() const;

    int layerCount() const { return problem_->profile.layerCount(); }
    int deviceCount() const { return problem_->cluster.deviceCount(); }

    /// Sums over layers first..last, both included; seconds on the reference GPU, bytes for one microbatch.
    /// Times are those of all `replicas` of a stage together that split the microbatch evenly, each at the
    /// size of its share: the same for any number unless the profile has times at several sizes.
    double forwardS(int first, int last, int replicas = 1) const {
        return work(layers_, &TimeSums::forward, first, last, replicas);
    }
    double backwardS(int first, int last, int replicas = 1) const {
        return work(layers_, &TimeSums::backward, first, last, replicas);
    }
    double weightGradientS(int first, int last, int replicas = 1) const {
        return work(layers_, &TimeSums::weightGradient, first, last, replicas);
    }
    /// Whether the times of k replicas together are the same for every k.
    bool splitsEvenly() const {
        return layers_.bySize.empty() && wholeShares_.empty() && !(kinds_ && kinds_->haveSizes());
    }
    /// By what a microbatch is divided where it is split over so many replicas: their number or, where they
    /// get whole samples, less: the share of the one with most decides.
    double dividedBy(int replicas) const {
        return wholeShares_.empty() ? replicas : replicas / wholeShares_[static_cast<std::size_t>(replicas)];
    }
    /// Where a group is named, here and below, what one of its ranks has.
    double parameterBytes(int first, int last, const Group& group = {}) const {
        return sumOf(sumsOf(group).parameters, first, last);
    }
    /// Of which an AllReduce takes as long as all that keeps copies of the layers alike in an iteration:
    /// their gradients, unless the setup has ZeRO.
    double synchronisedBytes(int first, int last) const {
        return synchronised_ * parameterBytes(first, last);
    }
    /// The profile's bytes of the parameters that a rank of the stage holds: of the layers that its passes
    /// run, and its share of a vocabulary's that all stages share out.
    double heldParameterBytes(const Plan& plan, int stage) const;
    /// Of a stage's parameters what each of its devices holds where all who hold a layer share it out.
    double sharedParameterBytes(const Plan& plan, int stage) const;
    double storedActivationBytes(int first, int last, const Group& group = {}) const {
        return sumOf(sumsOf(group).stored, first, last);
    }
    /// What a layer keeps by itself of a microbatch, from its forward to its backward; nothing where it is
    /// swapped, or recomputed from what comes into the stage.
    double keptBytes(int layer, LayerMemory memory, const Group& group = {}) const;
    /// What a layer that is recomputed by itself brings back for its backward.
    double broughtBackBytes(int layer, LayerMemory memory, const Group& group = {}) const;
    /// What of it, or besides it, is kept between a split backward's input and weight gradients.
    double keptForWeightGradient(int first, int last, const Group& group = {}) const {
        return sumOf(sumsOf(group).deferred, first, last);
    }
    /// Bytes that cross the cut between layers `layer` and `layer`+1 (d^f and d^b of SPP); each tensor once,
    /// however many layers beyond the cut read it.
    double cutForwardBytes(int layer) const { return layers_.cutForward[static_cast<std::size_t>(layer)]; }
    double cutBackwardBytes(int layer) const { return layers_.cutBackward[static_cast<std::size_t>(layer)]; }

    /// How many times as fast as the profile's GPU a device is. One that goes by times measured on its type
    /// (measuredKinds()) is so for all layers together, and no single one need be.
    double speedOf(int device) const;
    double slowestSpeed(const std::vector<int>& devices) const;
    /// Nothing where all devices have the profile's own times, each by its speed.
    const KindSums* measuredKinds() const { return kinds_.get(); }
    ComputePace paceOf(int device) const;
    /// The slowest of each kind among devices, by kind.
    std::vector<ComputePace> slowestPaces(const std::vector<int>& devices) const;
    /// Layers first..last as forwardS() and backwardS() have them, on devices of that pace.
    ComputedTimes computedAt(const ComputePace& pace, int first, int last, int replicas = 1) const;
    double bothAt(const ComputePace& pace, int first, int last) const {
        const TimeSums& own = sumsOf({}, pace.kind).own;
        return (sumOf(own.forward, first, last) + sumOf(own.backward, first, last)) / pace.speed;
    }
    /// computedAt() on unlike devices, in each pass those of the slowest.
    ComputedTimes computedBy(const std::vector<int>& devices, int first, int last, int replicas) const;
    /// For Replication::roundRobin what a microbatch costs on the replica of that number, else on all
    /// together. Times are those of the slowest rank; what it sends within its group is among them.
    StageCost stage(const Plan& plan, int stage, int replica = 0) const;
    /// The same for a whole microbatch, whether or not the plan cuts it into slices.
    StageCost wholeMicrobatch(const Plan& plan, int stage) const;
    /// What a microbatch keeps on each device of a split stage between its forward and its backward: the
    /// activations of layers that are kept, and the stage's input in place of those that are recomputed.
    double keptActivationBytes(const Plan& plan, int stage) const;
    /// The time for that to another stage's devices, or back, in seconds.
    double evictionS(const Plan& plan, int from, int to) const;
    /// Edges between the stages of each pipeline, ordered by (from, to).
    std::vector<StageEdge> stageEdges(const Plan& plan) const;
    /// c^f and c^b (SPP III-B, divisor as in E-SPP-1) between two device sets, plus the largest latency.
    TransferCost transfer(double forwardBytes, double backwardBytes, const std::vector<int>& from,
                          const std::vector<int>& to) const;
    /// The same between stages, of which `from` and `to` work on the microbatch. Ranks of a group hand their
    /// parts on to those at their places side by side; where one side has larger parts than the other, those.
    TransferCost transfer(double forwardBytes, double backwardBytes, const Stage& sender,
                          const std::vector<int>& from, const Stage& receiver,
                          const std::vector<int>& to) const;
    /// Eq. (1) of SPP: 2(k-1)/k * bytes / min b; 0 for k = 1.
    double allReduceS(double bytes, const std::vector<int>& devices) const;
    /// Groups ordered by lowest stage. What a group of several stages does is one operation as long as the
    /// busiest of its devices takes: for each stretch of layers with the same set of holders a ring of them,
    /// as in Eq. (1) of SPP.
    std::vector<DataParallelGroup> dataParallelGroups(const Plan& plan) const;
    /// withCopies(): the same of a stage of one device; without devices where no other is like it.
    DataParallelGroup groupOfCopies(int index, const Stage& stage) const;

    /// Zero where the stage's group divides nothing. Collectives of a kind run one after the other, each over
    /// the slowest link of the slowest of its rings (Eq. (1) of SPP), by the algorithm that takes least.
    /// @param parts into which a copy's microbatch is cut, of which this is for one
    InsideSends insideSends(const Stage& stage, const std::vector<int>& ranks, int first, int last,
                            double parts = 1) const;

private:
    /// The passes of a stage on replicas of which each is a device or a group of them: of the slowest kind.
    ComputedTimes computedTimes(const Plan& plan, int stage, const std::vector<int>& devices, int replicas,
                                int parts) const;
    /// Of those of its layers that are in `layers`.
    /// @param rate by which the sums' times are divided
    ComputedTimes computedOn(const LayerSums& sums, const Plan& plan, LayerSpan layers, int replicas,
                             double rate) const;
    StageCost partOfMicrobatch(const Plan& plan, int stage, int replica, int parts) const;
    /// Of what takes so long to send beside so much computing, the share that computing does not hide.
    double exposedShare(double sentS, double computedS) const;
    /// The slowest of lists of ranks that do the same beside each other.
    /// @param severalRings whether each list may work in several rings (ServerExits, LinkRings)
    CollectiveRanks slowestOf(const std::vector<std::vector<int>>& rings, bool severalRings) const;
    /// @param words bytes of a vocabulary's parameters that each of them has besides
    void addRings(const Plan& plan, const std::vector<int>& stages, LayerSpan layers, double words,
                  DataParallelGroup& group) const;
    /// Of each rank, where all stages share a vocabulary's layers out, else none.
    double bytesOfWords(const Plan& plan) const;
    void sumUpRings(DataParallelGroup& group) const;

    double work(const LayerSums& sums, std::vector<double> TimeSums::*part, int first, int last,
                int replicas) const {
        if (replicas == 1 || (sums.bySize.empty() && wholeShares_.empty()))
            return sumOf(sums.own.*part, first, last);
        if (sums.bySize.empty())
            return wholeShares_[static_cast<std::size_t>(replicas)] * sumOf(sums.own.*part, first, last);
        // On the ranks of a group times may be measured at sizes of their own.
        const SizeWeights at = sums.sizes == layers_.sizes ? ofReplicas_[static_cast<std::size_t>(replicas)]
                                                           : weightsOf(sums.sizes, replicas);
        return at.lowWeight * sumOf(sums.bySize[at.low].*part, first, last) +
               at.highWeight * sumOf(sums.bySize[at.high].*part, first, last);
    }
    /// Of the times at those sizes for all replicas together, each with its part of a microbatch.
    SizeWeights weightsOf(const std::vector<int>& sizes, int replicas) const;
    const LayerSums& sumsOf(const Group& group, int kind = 0) const {
        if (kind > 0) return kinds_->sums(kind, group, problem_->setup.imbalanceOf(group));
        if (!group.dividesLayers()) return layers_;
        return groups_->of(problem_->profile, group, problem_->setup.imbalanceOf(group));
    }
    /// What depends on the setup.
    void takeSetup();

    struct Check;

    std::shared_ptr<const Problem> problem_;
    std::shared_ptr<Check> check_;                      // of the problem
    std::shared_ptr<const Interconnect> interconnect_;  // of the cluster, whatever the setup
    LayerSums layers_;
    std::shared_ptr<const KindSums> kinds_;
    std::shared_ptr<GroupSums> groups_;    // of the profile, whatever the setup
    std::vector<SizeWeights> ofReplicas_;  // by number of replicas, for all of them together
    /// By number of replicas that get whole samples: how many times as much as a microbatch all would have if
    /// each had as much as the one with most. Empty: 1 for all.
    std::vector<double> wholeShares_;
    double synchronised_ = 1;  // by the setup
    std::shared_ptr<const RankCopies> copies_;
};

}  // namespace stagecraft::cost
