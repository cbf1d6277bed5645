#pragma once

#include "core/cost/cost_model.h"

#include <vector>

namespace stagecraft::planners {

/// The numbers that SPP's recursion for W(l, xi, r, i) is made of, for devices in a given order: `stage` and
/// `transfer` are its third and second term (MODEL.md section 1). Devices count by their place in the order.
class PartitionTerms {
public:
    PartitionTerms(const CostModel& costs, const std::vector<int>& order);

    int layers() const { return layers_; }
    int devices() const { return devices_; }

    /// Time of all microbatches and the AllReduce of the first `layer` layers on devices end-replicas..end-1.
    /// A stage of layers a..b-1 takes load(b) - load(a); that difference falls as a grows, whatever the
    /// rounding.
    double load(int layer, int replicas, int end) const {
        const std::size_t window = windowIndex(replicas, end);
        return compute_[window] * time_[timeStride_ * static_cast<std::size_t>(replicas - 1) +
                                        static_cast<std::size_t>(layer)] +
               sync_[window] * synchronised_[static_cast<std::size_t>(layer)];
    }
    double stage(int first, int end, int replicas, int lastDevice) const {
        return load(end, replicas, lastDevice) - load(first, replicas, lastDevice);
    }

    /// All microbatches forward and back over the channel below layer `layer` (layers 0..layer-1 on one
    /// side), from devices split-senders..split-1 to devices split..split+receivers-1.
    double transfer(int layer, int senders, int receivers, int split) const {
        const std::size_t pair = pairIndex(senders, receivers, split);
        return bytes_[static_cast<std::size_t>(layer)] * perByte_[pair] + fixed_[pair];
    }
    /// bytes()[layer]: d^f + d^b at the cut below `layer`, for layers 1..L-1.
    const double* bytes() const { return bytes_.data(); }
    /// For senders 1, 2, …: seconds per byte, and what a transfer takes besides.
    const double* perByte(int receivers, int split) const {
        return &perByte_[pairIndex(1, receivers, split)];
    }
    const double* fixed(int receivers, int split) const { return &fixed_[pairIndex(1, receivers, split)]; }

private:
    std::size_t windowIndex(int replicas, int end) const {
        return static_cast<std::size_t>(end) * static_cast<std::size_t>(end - 1) / 2 +
               static_cast<std::size_t>(replicas - 1);
    }
    /// senders 1..split run fastest.
    std::size_t pairIndex(int senders, int receivers, int split) const {
        return pairStart_[static_cast<std::size_t>(split)] +
               static_cast<std::size_t>(receivers - 1) * static_cast<std::size_t>(split) +
               static_cast<std::size_t>(senders - 1);
    }
    void fillWindows(const CostModel& costs, const std::vector<int>& order);
    void fillPairs(const CostModel& costs, const std::vector<int>& order);

    int layers_ = 0;
    int devices_ = 0;
    std::vector<double> time_, synchronised_, bytes_;  // by number of layers before
    std::size_t timeStride_ = 0;          // between numbers of replicas; 0: all have the same times
    std::vector<double> compute_, sync_;  // by window
    std::vector<std::size_t> pairStart_;
    std::vector<double> perByte_, fixed_;  // by pair
};

}  // namespace stagecraft::planners
