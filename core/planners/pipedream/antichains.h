#pragma once

#include "core/base/work_context.h"
#include "core/model/layer_profile.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace stagecraft::planners {

/// Where PipeDream's released planner may cut a network: after a set of nodes of which none comes after
/// another (an antichain), which represents all that comes before it. One entry per state, in a topological
/// order.
struct PipeDreamStates {
    std::vector<double> computeS;         ///< p^f + p^b of the antichain and all that comes before it
    std::vector<double> parameterBytes;   ///< likewise
    std::vector<double> activationBytes;  ///< likewise: all outputs
    /// Outputs of the antichain and of the earlier nodes that others than those before it read too (an
    /// augmented antichain), so that connections that skip a cut are counted.
    std::vector<double> outputBytes;
    std::vector<std::vector<std::uint64_t>> before;  ///< bits: the states that come before it
    std::vector<int> lastLayer;  ///< if what it represents is the layers 0..lastLayer, that; else -1

    int count() const { return static_cast<int>(computeS.size()); }
    bool isBefore(int state, int other) const {
        return before[static_cast<std::size_t>(other)][static_cast<std::size_t>(state) / 64] >> (state % 64) &
               1;
    }
};

/// The states that can be reached from the first node that reads nothing, one node at a time.
/// What the profile knows of its network's nodes counts (LayerProfile::operators), else its layers.
/// @param mostStates nothing is returned if there are more
std::optional<PipeDreamStates> antichainStates(const LayerProfile& profile, int mostStates,
                                               const WorkContext& context);

/// The states after each layer alone.
PipeDreamStates layerStates(const LayerProfile& profile);

}  // namespace stagecraft::planners
