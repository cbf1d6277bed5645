#include "core/validation/group_parts.h"

#include "core/base/indices.h"

#include <algorithm>
#include <limits>

namespace stagecraft::validation {

namespace {

/// Tokens that a rank works on, and of what tensor parallelism divides the part of that.
double tokenPart(const Group& group) {
    double part = 1.0 / group.context;
    if (group.sequenceParallel) part /= group.tensor;
    return part;
}
double dividedPart(const Group& group) { return 1.0 / (group.tensor * group.context); }

double mixed(double share, const Group& group) {
    return share * dividedPart(group) + (1 - share) * tokenPart(group);
}

double insideBytes(const LayerDivision& division, ActivationCause cause) {
    for (const StoredPart& part : division.stored)
        if (part.cause == cause) return part.bytes;
    return 0;
}

double scoresOf(const Layer& layer) {
    for (const StoredPart& part : layer.storedParts)
        if (part.cause == ActivationCause::scores) return part.bytes;
    return 0;
}

/// What was measured on as many tensor-parallel ranks that divide the tokens as well, or as little.
std::vector<const RankMeasurement*> foundOn(const Layer& layer, const Group& group) {
    std::vector<const RankMeasurement*> found;
    if (group.context != 1 || group.expert != 1) return found;
    for (const RankMeasurement& each : layer.onRanks)
        if (each.tensor == group.tensor && each.sequenceParallel == group.sequenceParallel)
            found.push_back(&each);
    std::ranges::sort(found, {}, &RankMeasurement::microbatchSize);
    return found;
}

/// Whether anybody said what becomes of the layer on such ranks.
bool isKnownOn(const Layer& layer, const Group& group) {
    return layer.division || std::ranges::any_of(foundOn(layer, group), [](const RankMeasurement* each) {
               return each->times.has_value();
           });
}

/// Ranks whose places differ by `step`, `count` of them, for every first one.
std::vector<std::vector<int>> rings(const std::vector<int>& devices, int count, int step) {
    std::vector<std::vector<int>> all;
    const int ranks = static_cast<int>(devices.size());
    for (int rank = 0; rank < ranks; ++rank) {
        if (rank / step % count != 0) continue;
        std::vector<int> ring;
        for (int member = 0; member < count && rank + member * step < ranks; ++member)
            ring.push_back(devices[at(rank + member * step)]);
        all.push_back(std::move(ring));
    }
    return all;
}

double narrowestOf(const std::vector<std::vector<int>>& all, const Network& network) {
    double width = std::numeric_limits<double>::infinity();
    for (const std::vector<int>& ring : all) width = std::min(width, network.narrowest(ring, ring));
    return width;
}

}  // namespace

RankPart::RankPart(const Layer& layer, const Group& group, int samples) {
    expertParameters = layer.expertParameterBytes / group.expert;
    denseParameters = layer.parameterBytes - layer.expertParameterBytes;
    stored = layer.storedActivationBytes;
    deferred = layer.weightGradientBytes.value_or(stored / 2);
    scores = scoresOf(layer);
    if (layer.division && group.dividesLayers()) divide(layer, group);
    const auto found = foundOn(layer, group);
    if (found.empty()) return;
    for (const RankMeasurement* each : found)
        if (each->times) measured[each->microbatchSize] = *each->times;
    if (!measured.empty()) forward = backward = weightGradient = scoresRecompute = 1;
    const auto first = std::ranges::find_if(
        found, [](const RankMeasurement* each) { return each->parameterBytes.has_value(); });
    if (first != found.end())
        denseParameters = *(*first)->parameterBytes;
    else if (!layer.division)
        denseParameters /= group.tensor;
    std::map<double, double> bytes;
    for (const RankMeasurement* each : found)
        if (each->storedActivationBytes) bytes[each->microbatchSize] = *each->storedActivationBytes;
    if (bytes.empty()) return;
    const double kept = onLine(bytes, samples, [](double each) { return each; });
    const double part = layer.storedActivationBytes > 0 ? kept / layer.storedActivationBytes : 1;
    stored = kept;
    scores = part * scoresOf(layer);
    deferred = part * layer.weightGradientBytes.value_or(layer.storedActivationBytes / 2);
}

void RankPart::divide(const Layer& layer, const Group& group) {
    const LayerDivision& division = *layer.division;
    forward = mixed(division.forwardShare, group);
    backward = mixed(division.backwardShare, group);
    weightGradient = mixed(division.weightGradientShare, group);
    scoresRecompute = dividedPart(group);
    denseParameters -= denseParameters * division.parameterShare * (1 - 1.0 / group.tensor);
    deferred *= mixed(division.weightGradientBytesShare, group);
    stored = scores = 0;
    for (const StoredPart& part : layer.storedParts) {
        const double inside = insideBytes(division, part.cause);
        const double own = inside * dividedPart(group) + (part.bytes - inside) * tokenPart(group);
        stored += own;
        if (part.cause == ActivationCause::scores) scores = own;
    }
}

double passedOnParts(const Group& group) { return 1 / tokenPart(group); }

std::vector<std::vector<int>> sameDense(const Stage& stage) {
    std::vector<std::vector<int>> lists(at(stage.group.tensor));
    for (std::size_t place = 0; place < stage.devices.size(); ++place)
        lists[place % lists.size()].push_back(stage.devices[place]);
    return lists;
}

std::vector<std::vector<int>> sameExperts(const Stage& stage) {
    std::vector<std::vector<int>> lists(at(stage.group.expert));
    for (std::size_t place = 0; place < stage.devices.size(); ++place)
        lists[place % lists.size()].push_back(stage.devices[place]);
    return lists;
}

SendingTimes sendingTimes(const LayerProfile& profile, const Stage& stage, int layer,
                          const Network& network) {
    const Group& group = stage.group;
    const auto& division = profile.layers[at(layer)].division;
    SendingTimes times;
    if (!division || !group.dividesLayers()) return times;
    for (const RankMeasurement* each : foundOn(profile.layers[at(layer)], group))
        if (each->times) return times;
    const auto collective = [](double tensorBytes, int ranks) { return tensorBytes * (ranks - 1) / ranks; };
    if (group.tensor > 1) {
        const double width = narrowestOf(rings(stage.devices, group.tensor, 1), network);
        const double entry = collective(division->entryBytes / group.context, group.tensor) / width;
        const double exit = collective(division->exitBytes / group.context, group.tensor) / width;
        // A gather and a scatter each, the gather once more backward; else a sum over all: twice.
        times.forward += group.sequenceParallel ? entry + exit : 2 * exit;
        times.backward += group.sequenceParallel ? exit + 2 * entry : 2 * entry;
    }
    if (group.context > 1) {
        const double width = narrowestOf(rings(stage.devices, group.context, group.tensor), network);
        const double round = collective(division->keyValueBytes / group.tensor, group.context) / width;
        times.forward += round;
        times.backward += 2 * round;
    }
    if (group.expert > 1) {
        const double width = narrowestOf(rings(stage.devices, group.expert, 1), network);
        times.toExperts = collective(division->routedBytes * tokenPart(group), group.expert) / width;
        times.forward += times.toExperts;
        times.backward += times.toExperts;
    }
    return times;
}

std::optional<std::string> whyGroupBroken(const Problem& problem, const Plan& plan, int index) {
    const Stage& stage = plan.stages[at(index)];
    const Group& group = stage.group;
    const int ranks = static_cast<int>(stage.devices.size());
    if (group.tensor < 1 || group.context < 1 || group.expert < 1) return "has a degree below 1";
    if (group.sequenceParallel && group.tensor == 1)
        return "divides tokens among tensor-parallel ranks, of which it has one";
    if (ranks % (group.tensor * group.context) != 0 || ranks % group.expert != 0)
        return "has " + std::to_string(ranks) + " devices for " + std::to_string(group.tensor) + " x " +
               std::to_string(group.context) + " ranks and experts on " + std::to_string(group.expert);
    if (!group.dividesLayers()) return std::nullopt;
    if (stage.replication == Replication::roundRobin)
        return "divides its layers, and its copies take microbatches in turn";
    const DivisibleParts& parts = problem.profile.divisible;
    const auto even = [](int number, int degree) {
        return degree == 1 || (number > 0 && number % degree == 0);
    };
    const int tokens = group.context * (group.sequenceParallel ? group.tensor : 1);
    bool ran = true;
    for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer)
        ran = ran && !foundOn(problem.profile.layers[at(layer)], group).empty();
    if (!ran && (!even(parts.heads, group.tensor) || !even(parts.tokens, tokens) ||
                 !even(parts.experts, group.expert)))
        return "divides heads, tokens or experts that do not come out even";
    for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer)
        if (!isKnownOn(problem.profile.layers[at(layer)], group))
            return "divides layer " + std::to_string(layer) + ", of which it is not known how";
    for (const Stage& other : plan.stages)
        if (other.firstLayer <= stage.lastLayer && stage.firstLayer <= other.lastLayer &&
            other.group != group)
            return "holds layers that another stage holds and divides otherwise";
    return std::nullopt;
}

}  // namespace stagecraft::validation
