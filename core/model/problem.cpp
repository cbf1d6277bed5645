#include "core/model/problem.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/number_range.h"
#include "core/base/units.h"
#include "core/model/profile_sizes.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace stagecraft::model {

double optimizerStateFactor(Optimizer optimizer) {
    switch (optimizer) {
        case Optimizer::sgd:
            return 0;
        case Optimizer::momentum:
            return 1;
        case Optimizer::adam:
            return 2;
    }
    return 0;
}

double Problem::memoryLimitBytes(int device) const {
    return setup.memoryLimitBytes.value_or(cluster.devices[static_cast<std::size_t>(device)].memoryBytes);
}

double Problem::leastMemoryLimitBytes() const {
    double least = infinity;
    for (int device = 0; device < static_cast<int>(cluster.devices.size()); ++device)
        least = std::min(least, memoryLimitBytes(device));
    return least;
}

namespace {

std::optional<std::string> whyOtherSizesUnplannable(const LayerProfile& profile) {
    int before = 0;
    for (const TimesAtSize& other : profile.otherSizes) {
        const std::string name = "the times at microbatch size " + std::to_string(other.microbatchSize);
        if (other.microbatchSize <= before || other.microbatchSize == profile.microbatchSize)
            return name + " are out of order: sizes of 1 or more, ascending, without the profile's own";
        before = other.microbatchSize;
        if (other.layers.size() != profile.layers.size())
            return name + " are those of " + counted(other.layers.size(), "layer") +
                   ", but the profile has " + std::to_string(profile.layers.size());
        for (const LayerTimes& times : other.layers)
            if (!isAmount(times.forwardS) || !isAmount(times.backwardS) || !isAmount(times.weightGradientS) ||
                times.weightGradientS > times.backwardS)
                return name +
                       " hold a negative or non-finite number or a weight gradient that takes longer "
                       "than the whole backward";
    }
    return std::nullopt;
}

bool isMeasurement(const RankMeasurement& measured) {
    const auto isGiven = [](const std::optional<double>& amount) { return !amount || isAmount(*amount); };
    const auto& times = measured.times;
    return measured.tensor > (measured.gpu.empty() ? 1 : 0) && measured.microbatchSize > 0 &&
           isGiven(measured.parameterBytes) && isGiven(measured.storedActivationBytes) &&
           (!times || (isAmount(times->forwardS) && isAmount(times->backwardS) &&
                       isAmount(times->weightGradientS) && times->weightGradientS <= times->backwardS));
}

std::optional<std::string> whyProfileUnplannable(const LayerProfile& profile) {
    if (profile.layers.empty()) return "the profile has no layer; at least one is needed";
    if (profile.microbatchSize < 1)
        return "the profile's microbatch size is " + std::to_string(profile.microbatchSize) +
               "; at least 1 is needed";
    for (const Layer& layer : profile.layers) {
        const bool numbersHold = isAmount(layer.forwardS) && isAmount(layer.backwardS) &&
                                 isAmount(layer.parameterBytes) && isAmount(layer.outputBytes) &&
                                 isAmount(layer.outputGradientBytes) &&
                                 isAmount(layer.storedActivationBytes) && isAmount(layer.weightGradientS) &&
                                 isAmount(layer.keptForWeightGradient());
        if (!numbersHold) return "layer '" + layer.name + "' has a negative, too large or non-finite number";
        if (layer.weightGradientS > layer.backwardS)
            return "layer '" + layer.name +
                   "' spends more time on weight gradients than on its whole backward";
        if (!std::ranges::all_of(layer.onRanks, isMeasurement))
            return "layer '" + layer.name +
                   "' was measured on ranks with a number that is negative, too large or not finite, or with "
                   "a weight gradient that takes longer than the whole backward";
    }
    for (const LayerEdge& edge : profile.edges)
        if (edge.from < 0 || edge.to <= edge.from || edge.to >= profile.layerCount())
            return "the profile's edge " + std::to_string(edge.from) + " -> " + std::to_string(edge.to) +
                   " does not run from an earlier to a later layer";
    return whyOtherSizesUnplannable(profile);
}

/// Names a device that device 0 cannot reach, if there is one.
std::optional<std::string> unreachableDevice(const Cluster& cluster) {
    std::unordered_map<std::string_view, std::size_t> index;
    index.reserve(cluster.devices.size() + cluster.switches.size());
    for (const Device& device : cluster.devices) index.emplace(device.id, index.size());
    for (const Switch& node : cluster.switches) index.emplace(node.id, index.size());
    std::vector<std::size_t> parent(index.size());
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root = [&](std::size_t node) {
        while (parent[node] != node) node = parent[node] = parent[parent[node]];
        return node;
    };
    for (const Link& link : cluster.links) {
        const auto a = index.find(link.a), b = index.find(link.b);
        if (a != index.end() && b != index.end() && link.bandwidthBps > 0)
            parent[root(a->second)] = root(b->second);
    }
    for (std::size_t device = 1; device < cluster.devices.size(); ++device)
        if (root(device) != root(0)) return cluster.devices[device].id;
    return std::nullopt;
}

/// Names what the ids leave open, if anything.
std::optional<std::string> whyIdsUnclear(const Cluster& cluster) {
    std::unordered_set<std::string_view> ids;
    ids.reserve(cluster.devices.size() + cluster.switches.size());
    const auto taken = [](const std::string& id) {
        return "two devices or switches have the id '" + id + "'";
    };
    for (const Device& device : cluster.devices)
        if (!ids.insert(device.id).second) return taken(device.id);
    for (const Switch& node : cluster.switches)
        if (!ids.insert(node.id).second) return taken(node.id);
    for (const Link& link : cluster.links)
        if (link.a == link.b) return "a link joins '" + link.a + "' to itself";
    return std::nullopt;
}

std::string expectedRate() {
    return "expected " + formatNumber(leastRate) + " to " + formatNumber(largestAmount) + " B/s";
}

std::optional<std::string> whyClusterUnplannableAnew(const Cluster& cluster) {
    if (cluster.devices.empty()) return "the cluster has no device; at least one is needed";
    if (const auto reason = whyIdsUnclear(cluster)) return reason;
    for (const Device& device : cluster.devices)
        if (!isRate(device.speed) || !isAmount(device.memoryBytes) || !isAmount(device.pricePerHour))
            return "device '" + device.id +
                   "' needs a positive speed, a memory size, and a price of 0 dollars or more";
    for (const Device& device : cluster.devices)
        if (device.hostBandwidthBps != 0 && !isRate(device.hostBandwidthBps))
            return "device '" + device.id + "' has a host bandwidth of " +
                   formatNumber(device.hostBandwidthBps) + " B/s; " + expectedRate() + ", or 0 for none";
    for (const Link& link : cluster.links)
        if (!isRate(link.bandwidthBps))
            return "the link between '" + link.a + "' and '" + link.b + "' has a bandwidth of " +
                   formatNumber(link.bandwidthBps) + " B/s; " + expectedRate();
    for (const Link& link : cluster.links)
        if (!isAmount(link.latencyS))
            return "the link between '" + link.a + "' and '" + link.b + "' needs a latency of 0 s or more";
    if (const auto id = unreachableDevice(cluster))
        return "the cluster is not connected: there is no path from '" + cluster.devices[0].id + "' to '" +
               *id + "'";
    return std::nullopt;
}

bool hasFineNumbers(const Device& device) {
    return isRate(device.speed) && isAmount(device.memoryBytes) && isAmount(device.pricePerHour) &&
           (device.hostBandwidthBps == 0 || isRate(device.hostBandwidthBps));
}

/// The last cluster on which something could be planned. The same one is asked about again and again, mostly
/// in copies that share its lists, and then with one number changed.
class LastPlannable {
public:
    /// False too where that takes a search.
    bool isStillPlannable(const Cluster& cluster) {
        const std::scoped_lock lock(mutex_);
        return !last_.devices.empty() &&
               cluster.switches.isAlike(last_.switches,
                                        [](const Switch& a, const Switch& b) { return a.id == b.id; }) &&
               cluster.devices.isAlike(
                   last_.devices,
                   [](const Device& a, const Device& b) { return a.id == b.id && hasFineNumbers(a); }) &&
               cluster.links.isAlike(last_.links, [](const Link& a, const Link& b) {
                   return a.a == b.a && a.b == b.b && isRate(a.bandwidthBps) && isAmount(a.latencyS);
               });
    }
    void set(const Cluster& cluster) {
        const std::scoped_lock lock(mutex_);
        last_.devices = cluster.devices;
        last_.switches = cluster.switches;
        last_.links = cluster.links;
    }

private:
    std::mutex mutex_;
    Cluster last_;
};

std::optional<std::string> whyClusterUnplannable(const Cluster& cluster) {
    constexpr std::size_t large = 1000;  // links; smaller ones are looked through as fast
    if (cluster.links.size() < large) return whyClusterUnplannableAnew(cluster);
    static LastPlannable last;
    if (last.isStillPlannable(cluster)) return std::nullopt;
    auto reason = whyClusterUnplannableAnew(cluster);
    if (!reason) last.set(cluster);
    return reason;
}

}  // namespace

TrainingSetup usualSetup(TrainingSetup setup, const LayerProfile& profile) {
    setup.wholeSamples = true;
    if (profile.elementBytes != 2) return setup;
    setup.precision = StatePrecision::mixed;
    setup.optimizer = Optimizer::adam;
    return setup;
}

TrainingSetup setupOf(const Plan& plan, TrainingSetup asked) {
    if (plan.miniBatch.microbatches > 0) asked.microbatches = plan.miniBatch.microbatches;
    if (plan.miniBatch.barrier) asked.mode = TrainingMode::synchronous;
    return asked;
}

bool hasOtherMicrobatches(const Plan& plan, const LayerProfile& profile) {
    return plan.miniBatch.microbatchSize > 0 && plan.miniBatch.microbatchSize != profile.microbatchSize;
}

Problem problemOf(const Plan& plan, const Problem& asked) {
    Problem own = asked;
    own.setup = setupOf(plan, asked.setup);
    if (hasOtherMicrobatches(plan, asked.profile))
        own.profile = profileAtSize(asked.profile, plan.miniBatch.microbatchSize);
    return own;
}

int microbatchesAsked(const Plan& plan, const Problem& asked) {
    if (!hasOtherMicrobatches(plan, asked.profile)) return asked.setup.microbatches;
    const auto samples = static_cast<long long>(asked.setup.microbatches) * asked.profile.microbatchSize;
    const int size = plan.miniBatch.microbatchSize;
    if (samples % size != 0)
        throw std::invalid_argument("the plan's microbatches of " + counted(size, "sample") +
                                    " do not divide an iteration of " + counted(samples, "sample"));
    return static_cast<int>(samples / size);
}

std::optional<std::string> whyUnplannable(const Problem& problem) {
    if (const auto reason = whyProfileUnplannable(problem.profile)) return reason;
    if (const auto reason = whyClusterUnplannable(problem.cluster)) return reason;
    if (problem.setup.microbatches < 1)
        return "an iteration has " + counted(problem.setup.microbatches, "microbatch", "microbatches") +
               "; at least 1 is needed";
    if (problem.setup.memoryLimitBytes && !(*problem.setup.memoryLimitBytes > 0))
        return "the memory limit must be a positive number of bytes";
    if (problem.setup.precision != StatePrecision::uniform && problem.profile.elementBytes != 2)
        return "the setup trains in mixed precision, and the profile " +
               (problem.profile.elementBytes
                    ? "has elements of " + counted(*problem.profile.elementBytes, "byte")
                    : std::string("does not say how many bytes its elements have")) +
               "; expected element_bytes of 2, or a setup of uniform precision";
    for (const double amount : {problem.setup.passOverheadS, problem.setup.transferOverheadS,
                                problem.setup.collectiveStartS, problem.setup.reservedBytes})
        if (!isAmount(amount))
            return "an overhead or the reserved memory of the setup is negative or not finite";
    if (!isAmount(problem.setup.updateBytesPerS))
        return "the rate of the optimizer's step (update_bytes_per_s) is negative or not finite";
    if (problem.setup.updateBytesPerS > 0 && problem.setup.mode != TrainingMode::synchronous)
        return "the optimizer's step takes time (update_bytes_per_s) and training is asynchronous; expected "
               "synchronous training, or a rate of 0";
    if (problem.setup.holdsAllGradients() && problem.setup.zero >= ZeroStage::gradients)
        return "copies share gradients out (ZeRO-2 or 3), and the setup's gradient passes (gradient_passes) "
               "are Megatron-LM's, whose copies hold all of them; expected \"norm\" or \"none\"";
    if (!(problem.setup.insideOverlap >= 0 && problem.setup.insideOverlap <= 1))
        return "the overlap within stages is " + formatNumber(problem.setup.insideOverlap) +
               "; expected 0 to 1";
    if (!(problem.setup.zeroOverlap >= 0 && problem.setup.zeroOverlap <= 1))
        return "the overlap of ZeRO is " + formatNumber(problem.setup.zeroOverlap) + "; expected 0 to 1";
    if (!(problem.setup.expertImbalance >= 1 && problem.setup.expertImbalance <= mostRanks))
        return "the imbalance of experts is " + formatNumber(problem.setup.expertImbalance) +
               "; expected at least 1, which is an even load";
    for (const double amount : {problem.setup.gpuPricePerHour, problem.setup.gpuPowerW})
        if (!isAmount(amount)) return "the price or the power of a GPU is negative or not finite";
    return std::nullopt;
}

}  // namespace stagecraft::model
