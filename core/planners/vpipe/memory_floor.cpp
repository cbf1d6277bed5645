#include "core/planners/vpipe/memory_floor.h"

#include "core/cost/state_bytes.h"

#include <algorithm>
#include <set>

namespace stagecraft::planners::vpipe {

MemoryFloor::MemoryFloor(const CostModel& costs, const Settings& settings, int stages)
    : costs_(costs), stashes_(settings.system == System::asynchronous), stages_(stages) {
    readBy_.resize(static_cast<std::size_t>(costs.layerCount()));
    for (const LayerEdge& edge : costs.problem().profile.dependencies())
        readBy_[static_cast<std::size_t>(edge.to)].push_back(edge.from);
}

bool MemoryFloor::canSwap(int stage) const {
    return costs_.problem().cluster.devices[static_cast<std::size_t>(stage)].hostBandwidthBps > 0;
}

int MemoryFloor::inFlight(int stage) const {
    const TrainingSetup& setup = costs_.problem().setup;
    const int most = stages_ - stage;
    return setup.mode == TrainingMode::synchronous ? std::min(most, setup.microbatches) : most;
}

double MemoryFloor::staticBytes(int stage, int first, int last) const {
    const double versions = stashes_ ? inFlight(stage) : 1;
    return StateBytes(costs_.problem()).withVersions(versions) * costs_.parameterBytes(first, last);
}

double MemoryFloor::bytes(int stage, int first, const LayerOps& ops) const {
    const int last = first + static_cast<int>(ops.size()) - 1;
    const int batches = inFlight(stage);
    double kept = 0, recomputed = 0, swapped = 0;
    for (int layer = first; layer <= last; ++layer) {
        const LayerMemory op = ops[static_cast<std::size_t>(layer - first)];
        double& sum = op == LayerMemory::keep ? kept : op == LayerMemory::swap ? swapped : recomputed;
        sum += costs_.storedActivationBytes(layer, layer);
    }
    double input = 0;
    std::set<int> inputs;
    for (int layer = first; layer <= last && recomputed > 0; ++layer)
        for (const int from : readBy_[static_cast<std::size_t>(layer)])
            if (from < first && inputs.insert(from).second)
                input += costs_.problem().profile.layers[static_cast<std::size_t>(from)].outputBytes;
    return staticBytes(stage, first, last) + batches * kept + (batches - 1) * input + swapped +
           std::max(recomputed, input);
}

double MemoryFloor::leastBytes(int stage, int first, int last, double inputBytes) const {
    const int batches = inFlight(stage);
    const double whole = costs_.storedActivationBytes(first, last);
    const double recomputed = (batches - 1) * inputBytes + std::max(whole, inputBytes);
    return staticBytes(stage, first, last) + (canSwap(stage) ? whole : std::min(batches * whole, recomputed));
}

}  // namespace stagecraft::planners::vpipe
