#include "core/model/rank_measurements.h"

#include "core/model/profile_sizes.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::model {

namespace {

bool isOf(const RankMeasurement& measured, const Group& group) {
    return measured.gpu.empty() && group.context == 1 && group.expert == 1 &&
           measured.tensor == group.tensor && measured.sequenceParallel == group.sequenceParallel;
}

/// Those of the group that have what `has` asks for, by rising size.
template <typename Has>
std::vector<const RankMeasurement*> measuredOn(const Layer& layer, const Group& group, Has has) {
    std::vector<const RankMeasurement*> found;
    for (const RankMeasurement& measured : layer.onRanks)
        if (isOf(measured, group) && has(measured)) found.push_back(&measured);
    return found;
}

bool hasTimes(const RankMeasurement& measured) { return measured.times.has_value(); }
bool hasStored(const RankMeasurement& measured) { return measured.storedActivationBytes.has_value(); }
bool hasParameters(const RankMeasurement& measured) { return measured.parameterBytes.has_value(); }

std::vector<int> sizesOf(const std::vector<const RankMeasurement*>& measured) {
    std::vector<int> sizes;
    for (const RankMeasurement* each : measured) sizes.push_back(each->microbatchSize);
    return sizes;
}

/// @param get a number of one that has it
template <typename Get>
double atSize(const std::vector<const RankMeasurement*>& measured, const SizeWeights& at, Get get) {
    return at.lowWeight * get(*measured[at.low]) + at.highWeight * get(*measured[at.high]);
}

void addNumber(std::optional<double>& sum, const std::optional<double>& more) {
    if (sum && more)
        *sum += *more;
    else
        sum.reset();
}

}  // namespace

std::tuple<std::string, int, bool, int> keyOf(const RankMeasurement& measured) {
    return {measured.gpu, measured.tensor, measured.sequenceParallel, measured.microbatchSize};
}

bool isMeasuredOn(const Layer& layer, const Group& group) {
    return std::ranges::any_of(layer.onRanks,
                               [&](const RankMeasurement& measured) { return isOf(measured, group); });
}

std::vector<int> timedSizesOn(const Layer& layer, const Group& group) {
    return sizesOf(measuredOn(layer, group, hasTimes));
}

bool isTimedOn(const LayerProfile& profile, int firstLayer, int lastLayer, const Group& group) {
    return std::any_of(profile.layers.begin() + firstLayer, profile.layers.begin() + lastLayer + 1,
                       [&group](const Layer& layer) { return !timedSizesOn(layer, group).empty(); });
}

LayerTimes timesOn(const Layer& layer, const Group& group, double samples) {
    const auto measured = measuredOn(layer, group, hasTimes);
    const SizeWeights at = weightsAtSize(sizesOf(measured), samples);
    const auto number = [&](double LayerTimes::*part) {
        return atSize(measured, at, [part](const RankMeasurement& each) { return (*each.times).*part; });
    };
    LayerTimes times{number(&LayerTimes::forwardS), number(&LayerTimes::backwardS),
                     number(&LayerTimes::weightGradientS)};
    times.weightGradientS = std::min(times.weightGradientS, times.backwardS);  // rounding
    return times;
}

std::optional<double> parameterBytesOn(const Layer& layer, const Group& group) {
    const auto measured = measuredOn(layer, group, hasParameters);
    return measured.empty() ? std::nullopt : measured.front()->parameterBytes;
}

std::optional<double> storedBytesOn(const Layer& layer, const Group& group, double samples) {
    const auto measured = measuredOn(layer, group, hasStored);
    if (measured.empty()) return std::nullopt;
    return atSize(measured, weightsAtSize(sizesOf(measured), samples),
                  [](const RankMeasurement& each) { return *each.storedActivationBytes; });
}

std::string measuredGroupsText(const Layer& layer) {
    std::string text;
    std::optional<Group> last;
    for (const RankMeasurement& measured : layer.onRanks) {
        Group group;
        group.tensor = measured.tensor;
        group.sequenceParallel = measured.sequenceParallel;
        if (!measured.gpu.empty() || !measured.times || group == last) continue;
        const std::string own = groupText(group);
        // "tensor parallel" is said once.
        text += text.empty() ? own : "; " + own.substr(own.find("by "));
        last = group;
    }
    return text;
}

void RankMeasurementSum::add(const Layer& part) {
    stored_ += part.storedActivationBytes;
    if (isFirst_) {
        for (const RankMeasurement& measured : part.onRanks) sums_.emplace(keyOf(measured), measured);
        isFirst_ = false;
        return;
    }
    std::erase_if(sums_, [&](const auto& sum) {
        return std::ranges::none_of(
            part.onRanks, [&](const RankMeasurement& measured) { return keyOf(measured) == sum.first; });
    });
    for (const RankMeasurement& measured : part.onRanks) {
        const auto place = sums_.find(keyOf(measured));
        if (place == sums_.end()) continue;
        RankMeasurement& sum = place->second;
        addNumber(sum.parameterBytes, measured.parameterBytes);
        addNumber(sum.storedActivationBytes, measured.storedActivationBytes);
        if (sum.times && measured.times) {
            sum.times->forwardS += measured.times->forwardS;
            sum.times->backwardS += measured.times->backwardS;
            sum.times->weightGradientS += measured.times->weightGradientS;
        } else {
            sum.times.reset();
        }
    }
}

std::vector<RankMeasurement> RankMeasurementSum::of(const Layer& whole) const {
    std::vector<RankMeasurement> measurements;
    // What several parts keep and counts once is not known of a rank.
    const bool addsUp = std::abs(stored_ - whole.storedActivationBytes) <= 1e-9 * stored_;
    for (auto [key, sum] : sums_) {
        if (!addsUp) sum.storedActivationBytes.reset();
        if (sum.times)
            sum.times->weightGradientS = std::min(sum.times->weightGradientS, sum.times->backwardS);
        if (sum.times || sum.parameterBytes || sum.storedActivationBytes) measurements.push_back(sum);
    }
    return measurements;
}

}  // namespace stagecraft::model
