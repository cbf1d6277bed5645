#include "core/model/measured_gpus.h"

#include "core/model/profile_sizes.h"
#include "core/model/rank_measurements.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <set>

namespace stagecraft::model {

namespace {

bool isOnWhole(const RankMeasurement& measured, const std::string& gpu) {
    return measured.gpu == gpu && measured.tensor == 1 && measured.times;
}

const RankMeasurement* wholeOn(const Layer& layer, const std::string& gpu, int size) {
    for (const RankMeasurement& measured : layer.onRanks)
        if (measured.microbatchSize == size && isOnWhole(measured, gpu)) return &measured;
    return nullptr;
}

/// At which each layer was measured that was measured on the GPU at all, ascending.
std::vector<int> commonSizes(const LayerProfile& profile, const std::string& gpu) {
    std::optional<std::vector<int>> common;
    for (const Layer& layer : profile.layers) {
        std::vector<int> sizes, both;
        for (const RankMeasurement& measured : layer.onRanks)
            if (isOnWhole(measured, gpu)) sizes.push_back(measured.microbatchSize);
        if (sizes.empty()) continue;
        std::ranges::sort(sizes);
        if (common)
            std::ranges::set_intersection(*common, sizes, std::back_inserter(both));
        else
            both = sizes;
        common = both;
    }
    return common.value_or(std::vector<int>{});
}

double bothS(const LayerTimes& times) { return times.forwardS + times.backwardS; }

LayerTimes scaled(const LayerTimes& times, double factor) {
    return {times.forwardS * factor, times.backwardS * factor, times.weightGradientS * factor};
}

/// Of all layers on the GPU at a size at which it was measured.
std::vector<LayerTimes> timesOnGpu(const LayerProfile& profile, const std::string& gpu, int size) {
    double there = 0, here = 0;
    for (int index = 0; index < profile.layerCount(); ++index)
        if (const auto* measured = wholeOn(profile.layers[static_cast<std::size_t>(index)], gpu, size)) {
            there += bothS(*measured->times);
            here += bothS(timesAtSize(profile, index, size));
        }
    const double pace = here > 0 ? there / here : 1;
    std::vector<LayerTimes> times;
    for (int index = 0; index < profile.layerCount(); ++index) {
        const auto* measured = wholeOn(profile.layers[static_cast<std::size_t>(index)], gpu, size);
        times.push_back(measured ? *measured->times : scaled(timesAtSize(profile, index, size), pace));
    }
    return times;
}

/// What was measured of a layer on groups of ranks, as it is on the GPU.
/// @param pace how many times as long the whole layer takes there
std::vector<RankMeasurement> ranksOnGpu(const Layer& layer, const std::string& gpu, double pace) {
    const auto isThere = [&](const RankMeasurement& own) {
        return std::ranges::any_of(layer.onRanks, [&](const RankMeasurement& measured) {
            return measured.gpu == gpu && measured.tensor == own.tensor &&
                   measured.sequenceParallel == own.sequenceParallel;
        });
    };
    std::map<decltype(keyOf(RankMeasurement())), RankMeasurement> all;
    std::set<std::pair<int, bool>> measuredThere;
    for (RankMeasurement own : layer.onRanks) {
        if (!own.gpu.empty()) continue;
        if (own.times && isThere(own)) {
            own.times.reset();
            measuredThere.emplace(own.tensor, own.sequenceParallel);
        }
        if (own.times) own.times = scaled(*own.times, pace);
        if (own.times || own.parameterBytes || own.storedActivationBytes) all.emplace(keyOf(own), own);
    }
    for (RankMeasurement measured : layer.onRanks) {
        if (measured.gpu != gpu || !measuredThere.contains({measured.tensor, measured.sequenceParallel}))
            continue;
        measured.gpu.clear();
        const auto [place, isNew] = all.emplace(keyOf(measured), measured);
        if (!isNew) place->second.times = measured.times;
    }
    std::vector<RankMeasurement> list;
    for (auto& [key, measured] : all) list.push_back(std::move(measured));
    return list;
}

/// The runs of letters and of digits, lower case.
std::vector<std::string> runsOf(const std::string& name) {
    enum class Kind { other, letter, digit } last = Kind::other;
    std::vector<std::string> runs;
    for (const char character : name) {
        const auto byte = static_cast<unsigned char>(character);
        const Kind kind = std::isdigit(byte) ? Kind::digit : std::isalpha(byte) ? Kind::letter : Kind::other;
        if (kind != Kind::other && kind != last) runs.emplace_back();
        if (kind != Kind::other) runs.back() += static_cast<char>(std::tolower(byte));
        last = kind;
    }
    return runs;
}

bool isInOrder(const std::vector<std::string>& some, const std::vector<std::string>& all) {
    std::size_t found = 0;
    for (const std::string& each : all)
        if (found < some.size() && some[found] == each) ++found;
    return found == some.size();
}

}  // namespace

std::vector<std::string> measuredGpus(const LayerProfile& profile) {
    std::set<std::string> named;
    for (const Layer& layer : profile.layers)
        for (const RankMeasurement& measured : layer.onRanks)
            if (!measured.gpu.empty() && measured.tensor == 1) named.insert(measured.gpu);
    std::vector<std::string> gpus;
    for (const std::string& gpu : named)
        if (!commonSizes(profile, gpu).empty()) gpus.push_back(gpu);
    return gpus;
}

bool isMeasuredOn(const LayerProfile& profile, const std::string& gpu, const Group& group) {
    return std::ranges::any_of(profile.layers, [&](const Layer& layer) {
        return std::ranges::any_of(layer.onRanks, [&](const RankMeasurement& measured) {
            return measured.gpu == gpu && measured.tensor == group.tensor &&
                   measured.sequenceParallel == group.sequenceParallel;
        });
    });
}

std::string measuredGpuOf(const std::vector<std::string>& measured, const std::string& deviceGpu) {
    const std::vector<std::string> device = runsOf(deviceGpu);
    std::string best;
    std::size_t most = 0;
    for (const std::string& gpu : measured) {
        const std::vector<std::string> own = runsOf(gpu);
        if (own.size() <= most || !isInOrder(own, device)) continue;
        best = gpu;
        most = own.size();
    }
    return best;
}

LayerProfile profileOn(const LayerProfile& profile, const std::string& gpu) {
    LayerProfile measured = profile;
    measured.source = "Times on " + gpu + (profile.source.empty() ? "." : ". " + profile.source);
    measured.operators = {};
    measured.otherSizes.clear();
    for (const int size : commonSizes(profile, gpu))
        measured.otherSizes.push_back({size, timesOnGpu(profile, gpu, size)});
    std::vector<int> sizes;
    for (const TimesAtSize& each : measured.otherSizes) sizes.push_back(each.microbatchSize);
    const SizeWeights at = weightsAtSize(sizes, profile.microbatchSize);
    for (std::size_t index = 0; index < measured.layers.size(); ++index) {
        Layer& layer = measured.layers[index];
        const LayerTimes &low = measured.otherSizes[at.low].layers[index],
                         &high = measured.otherSizes[at.high].layers[index];
        const auto mix = [&](double LayerTimes::*part) {
            return at.lowWeight * low.*part + at.highWeight * high.*part;
        };
        const double before = layer.forwardS + layer.backwardS;
        setLayerTimes(layer, {mix(&LayerTimes::forwardS), mix(&LayerTimes::backwardS),
                              mix(&LayerTimes::weightGradientS)});
        layer.weightGradientS = std::min(layer.weightGradientS, layer.backwardS);  // rounding
        const double now = layer.forwardS + layer.backwardS;
        layer.onRanks = ranksOnGpu(profile.layers[index], gpu, before > 0 ? now / before : 1);
    }
    std::erase_if(measured.otherSizes, [&profile](const TimesAtSize& each) {
        return each.microbatchSize == profile.microbatchSize;
    });
    return measured;
}

LayerProfile withoutMeasuredGpus(LayerProfile profile) {
    for (Layer& layer : profile.layers)
        std::erase_if(layer.onRanks, [](const RankMeasurement& each) { return !each.gpu.empty(); });
    return profile;
}

void addMeasurements(const LayerProfile& measured, const std::string& gpu, LayerProfile& profile) {
    for (int index = 0; index < profile.layerCount(); ++index) {
        std::vector<RankMeasurement>& all = profile.layers[static_cast<std::size_t>(index)].onRanks;
        const auto put = [&](RankMeasurement added) {
            added.gpu = gpu;
            const auto place = std::ranges::lower_bound(all, keyOf(added), {}, keyOf);
            if (place != all.end() && keyOf(*place) == keyOf(added))
                *place = std::move(added);
            else
                all.insert(place, std::move(added));
        };
        for (const int size : measuredSizes(measured))
            put({.tensor = 1, .microbatchSize = size, .times = measuredTimes(measured, index, size)});
        for (RankMeasurement ranks : measured.layers[static_cast<std::size_t>(index)].onRanks) {
            if (!ranks.gpu.empty() || !ranks.times) continue;
            ranks.parameterBytes = ranks.storedActivationBytes = std::nullopt;
            put(std::move(ranks));
        }
    }
}

GpuKinds gpuKinds(const LayerProfile& profile, const Cluster& cluster) {
    GpuKinds kinds;
    const std::vector<std::string> measured = measuredGpus(profile);
    if (measured.empty()) return kinds;
    std::map<std::string, std::string> typeOf;  // by what devices call themselves
    std::set<std::string> types;
    for (const Device& device : cluster.devices) {
        const auto [place, isNew] = typeOf.try_emplace(device.gpu);
        if (isNew) place->second = measuredGpuOf(measured, device.gpu);
        if (!place->second.empty()) types.insert(place->second);
    }
    if (types.empty()) return kinds;
    kinds.gpus.assign(types.begin(), types.end());
    for (const Device& device : cluster.devices) {
        const std::string& type = typeOf[device.gpu];
        kinds.kindOf.push_back(
            type.empty() ? 0 : 1 + static_cast<int>(std::distance(types.begin(), types.find(type))));
    }
    return kinds;
}

}  // namespace stagecraft::model
