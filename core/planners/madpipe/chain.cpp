#include "core/planners/madpipe/chain.h"

#include "core/cost/state_bytes.h"
#include "core/runs/device_list.h"

#include <algorithm>
#include <numeric>

namespace stagecraft::planners {

namespace {

std::vector<double> sumsOf(const std::vector<double>& numbers) {
    std::vector<double> sums(numbers.size() + 1, 0);
    std::partial_sum(numbers.begin(), numbers.end(), sums.begin() + 1);
    return sums;
}

/// Layers after which a cut leaves a chain: whatever is read beyond comes from that very layer.
std::vector<int> cutsOfChain(const LayerProfile& profile) {
    const std::size_t layers = profile.layers.size();
    std::vector<bool> fromBefore(layers, false), fromHere(layers, false);
    for (const LayerEdge& edge : profile.dependencies()) {
        fromHere[static_cast<std::size_t>(edge.from)] = true;
        for (int cut = edge.from + 1; cut < edge.to; ++cut) fromBefore[static_cast<std::size_t>(cut)] = true;
    }
    std::vector<int> cuts;
    for (std::size_t layer = 0; layer < layers; ++layer)
        if (layer + 1 == layers || (fromHere[layer] && !fromBefore[layer]))
            cuts.push_back(static_cast<int>(layer));
    return cuts;
}

}  // namespace

void MadPipeChain::sumUp() {
    loadSums_ = sumsOf(forwardS);
    const std::vector<double> backward = sumsOf(backwardS);
    for (std::size_t link = 0; link < loadSums_.size(); ++link) loadSums_[link] += backward[link];
    weightSums_ = sumsOf(weightBytes);
    storedSums_ = sumsOf(storedBytes);
}

double MadPipeChain::latestS() const { return std::accumulate(transferS.begin(), transferS.end(), totalS()); }

MadPipeChain madPipeChain(const CostModel& costs) {
    const std::vector<int> devices = devicesAsNumbered(costs.deviceCount());
    const double speed = costs.slowestSpeed(devices);
    const double versions = StateBytes(costs.problem()).withVersions(2);
    MadPipeChain chain;
    chain.lastLayer = cutsOfChain(costs.problem().profile);
    for (std::size_t link = 0; link < chain.lastLayer.size(); ++link) {
        const int first = chain.firstLayer(static_cast<int>(link)), last = chain.lastLayer[link];
        chain.forwardS.push_back(costs.forwardS(first, last) / speed);
        chain.backwardS.push_back(costs.backwardS(first, last) / speed);
        chain.weightBytes.push_back(versions * costs.parameterBytes(first, last));
        chain.storedBytes.push_back(costs.storedActivationBytes(first, last));
        const bool ends = last + 1 == costs.layerCount();
        chain.bufferBytes.push_back(ends ? 0 : 2 * costs.cutForwardBytes(last));
        double transferS = 0;
        if (!ends && devices.size() > 1) {
            const double bandwidth = costs.interconnect().minBandwidthBps(devices, devices);
            const double latency = costs.interconnect().maxLatencyS(devices, devices);
            transferS =
                (costs.cutForwardBytes(last) + costs.cutBackwardBytes(last)) / bandwidth + 2 * latency;
        }
        chain.transferS.push_back(transferS);
    }
    chain.sumUp();
    return chain;
}

}  // namespace stagecraft::planners
