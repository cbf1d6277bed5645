#pragma once

#include "core/cost/cost_model.h"

#include <cstdint>
#include <vector>

namespace stagecraft::planners {

/// The numbers that SPP's recursion for W(l, xi, r, i) is made of, for devices in a given order: `stage` and
/// `transfer` are its third and second term (MODEL.md section 1). Devices count by their place in the order.
class PartitionTerms {
public:
    PartitionTerms(const CostModel& costs, const std::vector<int>& order);

    /// What it stores where few pairs of devices differ.
    static double bytes(int layers, int devices);

    int layers() const { return layers_; }
    int devices() const { return devices_; }

    /// Time of all microbatches and the AllReduce of the first `layer` layers on devices end-replicas..end-1.
    /// A stage of layers a..b-1 takes load(b) - load(a); that difference falls as a grows, whatever the
    /// rounding.
    double load(int layer, int replicas, int end) const {
        const std::size_t window = windowIndex(replicas, end);
        return compute_[window] * timesOf(replicas)[layer] +
               sync_[window] * synchronised_[static_cast<std::size_t>(layer)];
    }
    double stage(int first, int end, int replicas, int lastDevice) const {
        return load(end, replicas, lastDevice) - load(first, replicas, lastDevice);
    }
    /// load(l, replicas, end) = compute * timesOf(replicas)[l] + sync * synchronised()[l].
    double compute(int replicas, int end) const { return compute_[windowIndex(replicas, end)]; }
    double sync(int replicas, int end) const { return sync_[windowIndex(replicas, end)]; }
    /// The least of any window of so many devices.
    double leastCompute(int replicas) const { return leastCompute_[static_cast<std::size_t>(replicas - 1)]; }
    double leastSync(int replicas) const { return leastSync_[static_cast<std::size_t>(replicas - 1)]; }
    const double* timesOf(int replicas) const {
        return time_.data() + timeStride_ * static_cast<std::size_t>(replicas - 1);
    }
    const double* synchronised() const { return synchronised_.data(); }

    /// All microbatches forward and back over the channel below layer `layer` (layers 0..layer-1 on one
    /// side), from devices split-senders..split-1 to devices split..split+receivers-1.
    double transfer(int layer, int senders, int receivers, int split) const {
        const ChannelRun* run = &runs_[runsOf_[channelIndex(receivers, split)]];
        while (run[1].senders <= senders) ++run;
        return bytes_[static_cast<std::size_t>(layer)] *
                   (microbatches_ / (double(senders) * receivers * run->widthBps)) +
               2 * microbatches_ * run->latencyS;
    }
    /// No transfer from so many senders takes longer, whatever receives.
    double longestTransfer(int layer, int senders, int split) const {
        const std::size_t window = windowIndex(senders, split);
        return bytes_[static_cast<std::size_t>(layer)] * mostPerByte_[window] + mostFixed_[window];
    }
    /// Whether a transfer from `senders` is at most as long as one from fewer, back to the last number for
    /// which this is false; of 1 it is false.
    bool widens(int senders, int split) const { return widens_[windowIndex(senders, split)] != 0; }

private:
    /// From so many senders on the least bandwidth and the greatest latency of a channel are these.
    struct ChannelRun {
        int senders = 1;
        double widthBps = 0;
        double latencyS = 0;
        bool operator==(const ChannelRun&) const = default;
    };
    class ChannelScan;

    std::size_t windowIndex(int replicas, int end) const {
        return static_cast<std::size_t>(end) * static_cast<std::size_t>(end - 1) / 2 +
               static_cast<std::size_t>(replicas - 1);
    }
    std::size_t channelIndex(int receivers, int split) const {
        const auto before = static_cast<std::size_t>(split - 1);  // splits, which leave devices_ - split
        return before * static_cast<std::size_t>(devices_) - before * (before + 1) / 2 +
               static_cast<std::size_t>(receivers - 1);
    }
    void fillWindows(const CostModel& costs, const std::vector<int>& order);
    void fillChannels(const CostModel& costs, const std::vector<int>& order);

    int layers_ = 0;
    int devices_ = 0;
    double microbatches_ = 1;
    std::vector<double> time_, synchronised_, bytes_;  // by number of layers before
    std::size_t timeStride_ = 0;                    // between numbers of replicas; 0: all have the same times
    std::vector<double> compute_, sync_;            // by window
    std::vector<double> leastCompute_, leastSync_;  // by replicas
    std::vector<std::uint32_t> runsOf_;             // by channel: its first run
    std::vector<ChannelRun> runs_;  // each channel's end with one of more senders than there are
    std::vector<double> mostPerByte_, mostFixed_;  // by window: of senders
    std::vector<std::uint8_t> widens_;             // likewise
};

}  // namespace stagecraft::planners
