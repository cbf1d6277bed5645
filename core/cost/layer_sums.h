#pragma once

#include "core/cost/divided_profile.h"

#include <memory>
#include <mutex>
#include <map>
#include <vector>

namespace stagecraft::cost {

/// Prefix sums over the times of the layers.
struct TimeSums {
    std::vector<double> forward, backward, weightGradient;
};

/// Prefix sums over the layers of a profile, and what is asked layer by layer.
struct LayerSums {
    explicit LayerSums(const LayerProfile& profile);
    /// As one rank of the group has them.
    /// @param imbalance of experts (TrainingSetup)
    LayerSums(const LayerProfile& profile, const Group& group, double imbalance);

    TimeSums own;                  // at the profile's own microbatch size
    std::vector<int> sizes;        // at which times were measured, ascending
    std::vector<TimeSums> bySize;  // by them; empty if there is only one
    std::vector<double> parameters, expertParameters, stored, deferred;
    std::vector<double> cutForward, cutBackward;  // what crosses the cut behind a layer
    std::vector<double> inputs;                   // what comes into a layer
    std::vector<double> scores;  // stored parts that a selective recomputation drops, by layer
    std::vector<double> forward, scoresRecompute;  // seconds, by layer
    std::vector<SentInside> sent;                  // prefix sums; empty where no group divides the layers
};

inline double sumOf(const std::vector<double>& prefix, int first, int last) {
    return prefix[static_cast<std::size_t>(last) + 1] - prefix[static_cast<std::size_t>(first)];
}

/// The sums of every group that is asked for, made once; threads may share one.
class GroupSums {
public:
    /// @param imbalance of experts (TrainingSetup)
    const LayerSums& of(const LayerProfile& profile, const Group& group, double imbalance);

private:
    std::mutex mutex_;
    std::map<std::pair<Group, double>, std::unique_ptr<const LayerSums>> sums_;
};

}  // namespace stagecraft::cost
