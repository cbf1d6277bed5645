#include "core/planners/spp/partition_terms.h"

#include "core/base/indices.h"
#include "core/planners/planning.h"

#include <algorithm>
#include <limits>

namespace stagecraft::planners {

PartitionTerms::PartitionTerms(const CostModel& costs, const std::vector<int>& order)
    : layers_(costs.layerCount()),
      devices_(static_cast<int>(order.size())),
      microbatches_(costs.problem().setup.microbatches) {
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
    fillChannels(costs, order);
}

double PartitionTerms::bytes(int layers, int devices) {
    const double windows = double(devices) * devices / 2;
    return windows * (4 * sizeof(double) + sizeof(std::uint32_t) + sizeof(std::uint8_t)) +
           4.0 * layers * sizeof(double);
}

void PartitionTerms::fillWindows(const CostModel& costs, const std::vector<int>& order) {
    const std::size_t windows = windowIndex(1, devices_ + 1);
    compute_.resize(windows);
    sync_.resize(windows);
    leastCompute_.assign(at(devices_), infinity);
    leastSync_ = leastCompute_;
    std::vector<double> bandwidth(windows);  // the least within a window
    std::vector<double> speeds;
    for (const int device : order) speeds.push_back(costs.slowestSpeed({device}));
    for (int end = 1; end <= devices_; ++end) {
        double slowest = infinity,
               toLast = infinity;  // toLast: from the window's last device to any other of it
        const int last = order[static_cast<std::size_t>(end - 1)];
        for (int replicas = 1; replicas <= end; ++replicas) {
            const int device = order[static_cast<std::size_t>(end - replicas)];
            slowest = std::min(slowest, speeds[at(end - replicas)]);
            if (device != last) toLast = std::min(toLast, costs.interconnect().bandwidthBps(device, last));
            const std::size_t window = windowIndex(replicas, end);
            bandwidth[window] =
                replicas == 1 ? infinity : std::min(bandwidth[windowIndex(replicas - 1, end - 1)], toLast);
            compute_[window] = microbatches_ / (replicas * slowest);
            sync_[window] = replicas == 1 ? 0 : 2.0 * (replicas - 1) / replicas / bandwidth[window];
            double &compute = leastCompute_[at(replicas - 1)], &sync = leastSync_[at(replicas - 1)];
            compute = std::min(compute, compute_[window]);
            sync = std::min(sync, sync_[window]);
        }
    }
}

/// Bandwidth and latency between the devices before a split and those after it, as the split moves up.
class PartitionTerms::ChannelScan {
public:
    ChannelScan(const Interconnect& network, const std::vector<int>& order)
        : network_(network), order_(order), widths_(order.size()), latencies_(order.size()) {}

    /// The device before `split` is a sender from now on.
    void moveTo(int split) {
        split_ = split;
        const int sender = order_[at(split - 1)];
        for (std::size_t place = at(split); place < order_.size(); ++place) {
            const double width = network_.bandwidthBps(sender, order_[place]);
            const double latency = network_.latencyS(sender, order_[place]);
            std::vector<Record>& narrower = widths_[place];
            while (!narrower.empty() && narrower.back().value >= width) narrower.pop_back();
            narrower.push_back({split - 1, width});
            std::vector<Record>& slower = latencies_[place];
            while (!slower.empty() && slower.back().value <= latency) slower.pop_back();
            slower.push_back({split - 1, latency});
        }
        runs_.clear();
    }

    /// The channel to the devices from the split up to that place, which is one further than the last asked.
    const std::vector<ChannelRun>& to(int place) {
        const std::vector<Record>&widths = widths_[at(place)], &latencies = latencies_[at(place)];
        const bool first = runs_.empty();
        before_ = runs_;
        runs_.clear();
        std::size_t old = 0, width = widths.size() - 1, latency = latencies.size() - 1;
        for (int senders = 1; senders <= split_;) {
            ChannelRun run{senders, widths[width].value, latencies[latency].value};
            int next = split_ + 1;
            if (width > 0) next = std::min(next, split_ - widths[width - 1].position);
            if (latency > 0) next = std::min(next, split_ - latencies[latency - 1].position);
            if (!first) {
                run.widthBps = std::min(run.widthBps, before_[old].widthBps);
                run.latencyS = std::max(run.latencyS, before_[old].latencyS);
                if (old + 1 < before_.size()) next = std::min(next, before_[old + 1].senders);
            }
            if (runs_.empty() || runs_.back().widthBps != run.widthBps ||
                runs_.back().latencyS != run.latencyS)
                runs_.push_back(run);
            senders = next;
            if (width > 0 && split_ - widths[width - 1].position == next) --width;
            if (latency > 0 && split_ - latencies[latency - 1].position == next) --latency;
            if (!first && old + 1 < before_.size() && before_[old + 1].senders == next) ++old;
        }
        return runs_;
    }

private:
    struct Record {
        int position = 0;
        double value = 0;
    };
    const Interconnect& network_;
    const std::vector<int>& order_;
    int split_ = 0;
    // By receiver: the senders that are narrower (slower) than all that are nearer to the split, nearest
    // last.
    std::vector<std::vector<Record>> widths_, latencies_;
    std::vector<ChannelRun> runs_, before_;
};

void PartitionTerms::fillChannels(const CostModel& costs, const std::vector<int>& order) {
    const std::size_t windows = windowIndex(1, devices_ + 1);
    mostPerByte_.assign(windows, 0);
    mostFixed_.assign(windows, 0);
    widens_.assign(windows, 1);
    if (devices_ < 2) return;
    runsOf_.assign(channelIndex(1, devices_), 0);
    ChannelScan scan(costs.interconnect(), order);
    std::vector<ChannelRun> last;
    for (int split = 1; split < devices_; ++split) {
        scan.moveTo(split);
        std::vector<double> lanes(at(split), infinity);  // receivers times bandwidth, the least
        std::vector<double> latency(at(split), 0);
        widens_[windowIndex(1, split)] = 0;
        last.clear();
        for (int receivers = 1; receivers <= devices_ - split; ++receivers) {
            const std::vector<ChannelRun>& runs = scan.to(split + receivers - 1);
            std::uint32_t& place = runsOf_[channelIndex(receivers, split)];
            if (runs == last) {
                place = runsOf_[channelIndex(receivers - 1, split)];
            } else {
                last = runs;
                place = static_cast<std::uint32_t>(runs_.size());
                runs_.insert(runs_.end(), runs.begin(), runs.end());
                runs_.push_back({devices_ + 1, 0, 0});
            }
            for (const ChannelRun& run : runs) {
                const std::size_t sender = at(run.senders - 1);
                lanes[sender] = std::min(lanes[sender], receivers * run.widthBps);
                latency[sender] = std::max(latency[sender], run.latencyS);
                widens_[windowIndex(run.senders, split)] = 0;
            }
        }
        // For each number of receivers bandwidth falls and latency rises with the senders.
        double least = infinity, most = 0;
        for (int senders = 1; senders <= split; ++senders) {
            least = std::min(least, lanes[at(senders - 1)]);
            most = std::max(most, latency[at(senders - 1)]);
            const std::size_t window = windowIndex(senders, split);
            mostPerByte_[window] = microbatches_ / (senders * least) * (1 + tieWidth);
            mostFixed_[window] = 2 * microbatches_ * most;
        }
    }
}

}  // namespace stagecraft::planners
