#pragma once

#include "core/model/group.h"
#include "core/model/layer_profile.h"

namespace stagecraft::cost {

/// The profile as one rank of a group has it: what was measured on such ranks (Layer::onRanks), and
/// otherwise, by what layers say of how they are divided, what it computes itself and bytes of its own parts.
/// A rank of experts has as many tokens to compute as it had before they were sent, times the imbalance. No
/// layer says any more how it is divided, and none of its operators is known.
/// @param profile whose layers say how they are divided, where the group divides any
/// @param imbalance of experts: how many times as many tokens as the mean the busiest rank has
LayerProfile dividedProfile(const LayerProfile& profile, const Group& group, double imbalance = 1);

/// The same of one layer; one that does not say how it is divided stays whole.
/// @param samples of the microbatch that the layer's numbers are of
Layer dividedLayer(Layer layer, const Group& group, int samples, double imbalance = 1);

/// Bytes that one rank sends within its group for one microbatch of one copy of the layer. Rings: of n ranks
/// each sends (n - 1) / n of a whole tensor for an all-gather or a reduce-scatter, twice that for an
/// AllReduce. Nothing where times were measured on the group's ranks: what they send is in them.
struct SentInside {
    double tensorForward = 0, tensorBackward = 0;
    double contextForward = 0, contextBackward = 0;
    double expert = 0;  ///< in each of the two directions, by a rank with the mean load
    // How many collectives these are: gathers where tensors begin to be divided, scatters where they end to
    // be, or sums there instead; rounds of keys and values; and tokens that go to experts or come back.
    double entries = 0, exits = 0, rounds = 0, routings = 0;

    SentInside& operator+=(const SentInside& other);
    SentInside operator-(const SentInside& other) const;
    /// Of one of so many parts of the microbatch: as many collectives.
    void divideBytes(double parts);
};
/// Shoeybi et al., 2019, Sec. 3: an AllReduce where tensors end to be divided, and backward where they begin;
/// Korthikanti et al., MLSys 2023, Sec. 4.2.2: with sequence parallelism a gather and a scatter, and the
/// inputs gathered once more. Keys and values, and backward their gradients too, go round the
/// context-parallel ranks (ring attention). Tokens go to their experts and back (Lepikhin et al., ICLR 2021).
SentInside sentInside(const Layer& layer, const Group& group);

}  // namespace stagecraft::cost
