#include "core/planners/spp/partition_terms.h"

#include "core/base/indices.h"

#include <algorithm>
#include <limits>

namespace stagecraft::planners {

PartitionTerms::PartitionTerms(const CostModel& costs, const std::vector<int>& order)
    : layers_(costs.layerCount()), devices_(static_cast<int>(order.size())) {
    const int timings = costs.splitsEvenly() ? 1 : devices_;
    if (timings > 1) timeStride_ = static_cast<std::size_t>(layers_) + 1;
    for (int replicas = 1; replicas <= timings; ++replicas) {
        time_.push_back(0);
        for (int layer = 0; layer < layers_; ++layer)
            time_.push_back(costs.forwardS(0, layer, replicas) + costs.backwardS(0, layer, replicas));
    }
    synchronised_.assign(1, 0);
    bytes_.assign(1, 0);
    for (int layer = 0; layer < layers_; ++layer) {
        synchronised_.push_back(costs.synchronisedBytes(0, layer));
        bytes_.push_back(costs.cutForwardBytes(layer) + costs.cutBackwardBytes(layer));
    }
    fillWindows(costs, order);
    fillPairs(costs, order);
}

void PartitionTerms::fillWindows(const CostModel& costs, const std::vector<int>& order) {
    const double microbatches = costs.problem().setup.microbatches;
    const std::size_t windows = windowIndex(1, devices_ + 1);
    compute_.resize(windows);
    sync_.resize(windows);
    std::vector<double> bandwidth(windows);  // the least within a window
    for (int end = 1; end <= devices_; ++end) {
        double slowest = infinity,
               toLast = infinity;  // toLast: from the window's last device to any other of it
        const int last = order[static_cast<std::size_t>(end - 1)];
        for (int replicas = 1; replicas <= end; ++replicas) {
            const int device = order[static_cast<std::size_t>(end - replicas)];
            slowest = std::min(slowest, costs.slowestSpeed({device}));
            if (device != last) toLast = std::min(toLast, costs.interconnect().bandwidthBps(device, last));
            const std::size_t window = windowIndex(replicas, end);
            bandwidth[window] =
                replicas == 1 ? infinity : std::min(bandwidth[windowIndex(replicas - 1, end - 1)], toLast);
            compute_[window] = microbatches / (replicas * slowest);
            sync_[window] = replicas == 1 ? 0 : 2.0 * (replicas - 1) / replicas / bandwidth[window];
        }
    }
}

void PartitionTerms::fillPairs(const CostModel& costs, const std::vector<int>& order) {
    const double microbatches = costs.problem().setup.microbatches;
    const Interconnect& network = costs.interconnect();
    std::size_t pairs = 0;
    for (int split = 0; split <= devices_; ++split) {
        pairStart_.push_back(pairs);
        pairs += static_cast<std::size_t>(split) * static_cast<std::size_t>(devices_ - split);
    }
    perByte_.resize(pairs);
    fixed_.resize(pairs);
    for (int split = 1; split < devices_; ++split) {
        std::vector<double> width(static_cast<std::size_t>(split),
                                  infinity);  // by senders, over receivers so far
        std::vector<double> latency(static_cast<std::size_t>(split), 0);
        for (int receivers = 1; receivers <= devices_ - split; ++receivers) {
            const int receiver = order[static_cast<std::size_t>(split + receivers - 1)];
            double rowWidth = infinity, rowLatency = 0;
            for (int senders = 1; senders <= split; ++senders) {
                const int sender = order[static_cast<std::size_t>(split - senders)];
                rowWidth = std::min(rowWidth, network.bandwidthBps(sender, receiver));
                rowLatency = std::max(rowLatency, network.latencyS(sender, receiver));
                const auto place = static_cast<std::size_t>(senders - 1);
                width[place] = std::min(width[place], rowWidth);
                latency[place] = std::max(latency[place], rowLatency);
                const std::size_t pair = pairIndex(senders, receivers, split);
                perByte_[pair] = microbatches / (double(senders) * receivers * width[place]);
                fixed_[pair] = 2 * microbatches * latency[place];
            }
        }
    }
}

}  // namespace stagecraft::planners
