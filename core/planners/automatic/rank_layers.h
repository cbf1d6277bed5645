#pragma once

#include "core/planners/automatic/machine_facts.h"

#include <vector>

namespace stagecraft::planners {

/// Bytes of a layer's activations that are not held for so many seconds of computing them again.
struct Saving {
    double bytes = 0;
    double seconds = 0;
};

/// What one rank of a group has of a layer, for a microbatch of its copy: seconds on the fastest devices over
/// the widest links, so that no rank takes less; bytes of the rank.
struct LayerOnRank {
    double forwardS = 0, inputGradientS = 0, weightGradientS = 0;
    /// Of them on a device of speed 1, without what the group's ranks send; where devices go by times that
    /// were measured on their types, its weight (cost::SharedWork).
    double computedS = 0;
    double keptBytes = 0;  ///< from forward to backward, where nothing is computed again
    /// In turn, by falling bytes a second: a selective recomputation and what a full one has beyond it, or
    /// the full one at once where that has more for its time; none that saves nothing.
    std::vector<Saving> savings;
    double parameterBytes = 0;  ///< that are not experts'
    double expertBytes = 0;

    double chainS() const { return forwardS + inputGradientS; }
    double workS() const { return chainS() + weightGradientS; }
    double leastBytes() const {
        double bytes = keptBytes;
        for (const Saving& saving : savings) bytes -= saving.bytes;
        return bytes;
    }
};

/// A network as the ranks of a group have it, at some number of samples a copy.
class RankLayers {
public:
    /// @param costs at that microbatch size @param group one that can divide all layers
    RankLayers(const CostModel& costs, const Group& group, const MachineFacts& machines);

    const Group& group() const { return group_; }
    int samples() const { return costs_.problem().profile.microbatchSize; }
    const CostModel& costs() const { return costs_; }
    const std::vector<LayerOnRank>& layers() const { return layers_; }
    int layerCount() const { return static_cast<int>(layers_.size()); }
    /// Whether a layer's forward needs all layers before it.
    bool isChain() const { return isChain_; }

    /// The profile of one rank, alone on a device of speed 1: what the group's ranks send is not among the
    /// times. @param kind of device (ComputePace), or 0
    const LayerProfile& divided(int kind = 0) const {
        return kind == 0 ? divided_ : onKinds_[static_cast<std::size_t>(kind - 1)];
    }
    /// Whether a rank takes a microbatch's times and nothing else, so that on a faster device all of it is
    /// shorter.
    bool sendsInside() const { return sendsInside_; }
    /// Those of a layer, with what the ranks of the group send for it: over the links of the first group in
    /// the order of servers, and as far as nothing is computed beside it.
    /// @param computed on one rank
    LayerTimes withSends(const LayerTimes& computed, int layer) const;

    /// By number of devices, the most of LayerOnRank::computedS that so many of them do in a second.
    const std::vector<double>& speedSums() const { return speedSums_; }

    // On the longest way through the network, in seconds:
    /// forwards before a layer can begin;
    const std::vector<double>& headS() const { return headS_; }
    /// forwards and input gradients from a layer to the end and back to it, its own among them.
    const std::vector<double>& roundS() const { return roundS_; }

private:
    void addLayers(const MachineFacts& machines);
    void addSpeeds();
    /// What the slowest of those paces takes for a layer.
    ComputedTimes slowestOf(const std::vector<ComputePace>& paces, int layer) const;
    void addWays();

    CostModel costs_;
    Group group_;
    LayerProfile divided_;
    std::vector<LayerProfile> onKinds_;                 // the same on kinds 1 and up
    std::vector<double> sentForwardS_, sentBackwardS_;  // by layer
    bool sendsInside_ = false;
    bool isChain_ = true;
    std::vector<LayerOnRank> layers_;
    std::vector<double> headS_, roundS_;
    std::vector<double> computedS_, speedSums_;
};

/// The devices of one group, number `index` in an order of devices. @throws none: there are as many groups
/// as fit into the order
std::vector<int> groupDevices(const std::vector<int>& order, const Group& group, int index);

}  // namespace stagecraft::planners
