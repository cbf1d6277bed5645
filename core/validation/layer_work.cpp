#include "core/validation/layer_work.h"

#include "core/base/indices.h"
#include "core/model/measured_gpus.h"

#include <algorithm>
#include <map>

namespace stagecraft::validation {

bool isSharedOut(const Problem& problem, const Plan& plan, int layer) {
    const VocabularyLayer role = problem.profile.layers[at(layer)].vocabulary;
    return plan.schedule.sharesVocabulary() &&
           ((layer == 0 && role == VocabularyLayer::embedding) ||
            (layer + 1 == problem.profile.layerCount() && role == VocabularyLayer::head));
}

LayerTimes partOf(const LayerTimes& times, const RankPart& rank) {
    const auto left = [&](double LayerTimes::*part, double share) {
        const double own = std::min(rank.unshared.*part, times.*part);
        return own + (times.*part - own) * share;
    };
    const double backward = left(&LayerTimes::backwardS, rank.backward);
    return {left(&LayerTimes::forwardS, rank.forward), backward,
            std::min(left(&LayerTimes::weightGradientS, rank.weightGradient), backward)};
}

LayerTimes timesOf(const LayerProfile& profile, int index, double samples, const RankPart& rank) {
    const Layer& layer = profile.layers[at(index)];
    std::map<double, LayerTimes> points = rank.measured;
    if (points.empty()) {
        points[profile.microbatchSize] =
            partOf({layer.forwardS, layer.backwardS, layer.weightGradientS}, rank);
        for (const TimesAtSize& other : profile.otherSizes)
            points[other.microbatchSize] = partOf(other.layers[at(index)], rank);
    }
    const auto on = [&](double LayerTimes::*part) {
        return onLine(points, samples, [part](const LayerTimes& times) { return times.*part; });
    };
    return {on(&LayerTimes::forwardS), on(&LayerTimes::backwardS), on(&LayerTimes::weightGradientS)};
}

double largestPart(const Problem& problem, std::size_t replicas) {
    const int samples = problem.profile.microbatchSize, count = static_cast<int>(replicas);
    if (!problem.setup.wholeSamples) return 1.0 / count;
    const int most = samples / count + (samples % count > 0 ? 1 : 0);
    return static_cast<double>(most) / samples;
}

std::vector<DeviceType> typesAmong(const Problem& problem, const std::vector<int>& devices) {
    const std::vector<std::string> measured = measuredGpus(problem.profile);
    std::map<std::string, double> slowest;  // by type, none for those that go by their speed
    for (const int device : devices) {
        const Device& own = problem.cluster.devices[at(device)];
        const std::string gpu = measuredGpuOf(measured, own.gpu);
        const double speed = gpu.empty() ? own.speed : 1;
        const auto [place, isNew] = slowest.emplace(gpu, speed);
        place->second = std::min(place->second, speed);
    }
    std::vector<DeviceType> types;
    for (const auto& [gpu, speed] : slowest) {
        if (gpu.empty())
            types.push_back({{std::shared_ptr<void>(), &problem.profile}, speed});
        else
            types.push_back({std::make_shared<const LayerProfile>(profileOn(problem.profile, gpu)), speed});
    }
    return types;
}

StageWork::StageWork(const Problem& problem, const Plan& plan, const Stage& stage,
                     const std::vector<int>& workers, int slices, const Network& network)
    : problem_(problem),
      plan_(plan),
      stage_(stage),
      network_(network),
      slices_(slices),
      part_(largestPart(problem,
                        workers.size() / static_cast<std::size_t>(stage.group.tensor * stage.group.context))),
      types_(typesAmong(problem, workers)) {}

LayerWork StageWork::of(int layer, std::size_t type) const {
    if (types_.empty()) return {};
    LayerWork work = on(types_[type], layer);
    if (types() == types_.size()) return work;
    double input = 0;
    for (const DeviceType& each : types_) {
        const LayerWork own = on(each, layer);
        work.forward = std::max(work.forward, own.forward);
        work.backward = std::max(work.backward, own.backward);
        work.weightGradient = std::max(work.weightGradient, own.weightGradient);
        work.recompute = std::max(work.recompute, own.recompute);
        input = std::max(input, own.backward - own.weightGradient);
    }
    if (plan_.schedule.splits()) work.backward = input + work.weightGradient;
    return work;
}

LayerWork StageWork::on(const DeviceType& type, int index) const {
    const LayerProfile& profile = *type.profile;
    const Layer& layer = profile.layers[at(index)];
    const RankPart own(layer, stage_.group, profile.microbatchSize, problem_.setup.expertImbalance);
    const LayerTimes times = timesOf(profile, index, profile.microbatchSize * part_, own);
    const LayerMemory memory = plan_.layerMemory(index);
    const double rate = type.speed * slices_;
    LayerWork work;
    work.forward = times.forwardS / rate;
    work.backward = times.backwardS / rate;
    work.weightGradient = times.weightGradientS / rate;
    work.sends = sendingTimes(problem_, stage_, index, network_, part_ / slices_);
    work.storedBytes = own.stored;
    work.isComputedAgain = memory == LayerMemory::recompute || memory == LayerMemory::checkpoint;
    if (work.isComputedAgain) work.recompute = work.forward;
    if (memory == LayerMemory::selective && layer.forwardS > 0)
        work.recompute = std::min(layer.scoresRecomputeS * own.scoresRecompute /
                                      partOf({layer.forwardS, 0, 0}, own).forwardS,
                                  1.0) *
                         work.forward;
    return work;
}

}  // namespace stagecraft::validation
