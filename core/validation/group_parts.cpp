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
        if (each.gpu.empty() && each.tensor == group.tensor &&
            each.sequenceParallel == group.sequenceParallel)
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

RankPart::RankPart(const Layer& layer, const Group& group, int samples, double imbalance) {
    expertParameters = layer.expertParameterBytes / group.expert;
    denseParameters = layer.parameterBytes - layer.expertParameterBytes;
    stored = layer.storedActivationBytes;
    deferred = layer.weightGradientBytes.value_or(stored / 2);
    scores = scoresOf(layer);
    if (layer.division && group.dividesLayers())
        divide(layer, group, std::min<double>(imbalance, group.expert));
    const auto found = foundOn(layer, group);
    if (found.empty()) return;
    for (const RankMeasurement* each : found)
        if (each->times) measured[each->microbatchSize] = *each->times;
    if (!measured.empty()) {
        forward = backward = weightGradient = scoresRecompute = 1;
        unshared = {};
    }
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

void RankPart::divide(const Layer& layer, const Group& group, double busiest) {
    const LayerDivision& division = *layer.division;
    // Three kinds of work beside what is fixed: divided, experts', and the rest.
    const auto left = [&](double divided, double fixed, double experts) {
        if (fixed >= 1) return 0.0;
        const double rest = 1 - fixed - divided - experts;
        return (divided * dividedPart(group) + (rest + experts * busiest) * tokenPart(group)) / (1 - fixed);
    };
    unshared = {layer.forwardS * division.fixedForwardShare, layer.backwardS * division.fixedBackwardShare,
                layer.weightGradientS * division.fixedWeightGradientShare};
    forward = left(division.forwardShare, division.fixedForwardShare, division.expertForwardShare);
    backward = left(division.backwardShare, division.fixedBackwardShare, division.expertBackwardShare);
    weightGradient = left(division.weightGradientShare, division.fixedWeightGradientShare,
                          division.expertWeightGradientShare);
    scoresRecompute = dividedPart(group);
    denseParameters -= denseParameters * division.parameterShare * (1 - 1.0 / group.tensor);
    deferred *= left(division.weightGradientBytesShare, 0, division.expertWeightGradientBytesShare);
    stored = scores = 0;
    for (const StoredPart& part : layer.storedParts) {
        const double inside = insideBytes(division, part.cause);
        const double experts = part.cause == ActivationCause::mlp ? division.expertStoredBytes : 0;
        const double own = inside * dividedPart(group) +
                           (part.bytes - inside - experts + experts * busiest) * tokenPart(group);
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

namespace {

/// The slowest of some rings.
struct RingsSpeed {
    double width = 0, ringWidth = 0, latency = 0;
    bool switchSums = true;
    int ranks = 1;

    /// @param together whether a list may go round over several network cards at once, or along links
    /// between its devices
    RingsSpeed(const std::vector<std::vector<int>>& all, const Network& network, bool together = false)
        : width(narrowestOf(all, network)), ranks(static_cast<int>(all.front().size())) {
        if (together) {
            width = std::numeric_limits<double>::infinity();
            for (const std::vector<int>& ring : all) width = std::min(width, network.roundTogether(ring));
        }
        ringWidth = width;
        if (together) {
            ringWidth = std::numeric_limits<double>::infinity();
            for (const std::vector<int>& ring : all)
                ringWidth =
                    std::min(ringWidth, std::max(network.roundTogether(ring), network.laidTogether(ring)));
        }
        for (const std::vector<int>& ring : all) {
            latency = std::max(latency, network.slowest(ring, ring));
            switchSums = switchSums && network.hangOnSummingSwitch(ring);
        }
    }
    /// So many collectives that gather or scatter so many bytes: n - 1 steps of an n-th, or all at once where
    /// a switch copies.
    double gathers(double bytes, double count, double start) const {
        const double round = ringGathers(bytes, count, start);
        return switchSums ? std::min(round, switchGathers(bytes, count, start)) : round;
    }
    double ringGathers(double bytes, double count, double start) const {
        return onceRound(bytes, ringWidth) + count * (start + (ranks - 1) * latency);
    }
    double switchGathers(double bytes, double count, double start) const {
        return onceRound(bytes, width) + count * (start + latency);
    }
    /// Sums for all: 2 (n - 1) steps of an n-th round a ring, up and down trees, or once to the switch and
    /// back.
    double sums(double bytes, double count, double start) const {
        const double least = std::min(ringSums(bytes, count, start), treeSums(bytes, count, start));
        return switchSums ? std::min(least, switchSumsS(bytes, count, start)) : least;
    }
    double ringSums(double bytes, double count, double start) const {
        return 2 * onceRound(bytes, ringWidth) + count * (start + 2 * (ranks - 1) * latency);
    }
    double treeSums(double bytes, double count, double start) const {
        double levels = 0;
        for (int reached = 1; reached < ranks; reached *= 2) ++levels;
        return 2 * bytes / width + count * (start + 2 * levels * latency);
    }
    double switchSumsS(double bytes, double count, double start) const {
        return bytes / width + count * (start + latency);
    }

private:
    double onceRound(double bytes, double bps) const { return bytes * (ranks - 1) / ranks / bps; }
};

/// Where nobody has a start, SPP's Eq. (1): round a ring, whatever the latency.
double bareRound(double bytes, const std::vector<int>& devices, const Network& network) {
    const double k = static_cast<double>(devices.size());
    return (k - 1) / k * bytes / network.narrowest(devices, devices);
}

double countOf(double said, double bytes, double otherwise) {
    return bytes <= 0 ? 0 : said > 0 ? said : otherwise;
}

}  // namespace

double summingUpS(double bytes, const std::vector<int>& devices, const Network& network, double start) {
    if (start == 0) return 2 * bareRound(bytes, devices, network);
    return RingsSpeed({devices}, network, true).sums(bytes, 1, start);
}

double handingOutS(double bytes, const std::vector<int>& devices, const Network& network, double start) {
    if (start == 0) return bareRound(bytes, devices, network);
    return RingsSpeed({devices}, network, true).gathers(bytes, 1, start);
}

namespace {

void goRound(const std::vector<int>& order, double bytes, SentBetween& sent) {
    for (std::size_t place = 0; place < order.size(); ++place)
        sent.pairs[{order[place], order[(place + 1) % order.size()]}] += bytes;
}

/// Each of two trees has half: one with the places as they are, the other with those from the end, or the
/// next where their number is odd. A place that b, a power of two, divides and 2 b does not is below b more
/// where that is in reach and divided by 4 b, or reached by none; else below b less.
void goUpAndDown(const std::vector<int>& order, double bytes, SentBetween& sent) {
    const std::size_t count = order.size();
    std::vector<int> second(order.rbegin(), order.rend());
    if (count % 2 == 1) {
        second = order;
        std::rotate(second.begin(), second.begin() + 1, second.end());
    }
    for (const std::vector<int>& tree : {order, second})
        for (std::size_t place = 1; place < count; ++place) {
            std::size_t power = 1;
            while (place % (2 * power) == 0) power *= 2;
            const bool isLower = place / power % 4 == 1 && place + power < count;
            const std::size_t above = isLower ? place + power : place - power;
            sent.pairs[{tree[place], tree[above]}] += bytes / 2;
            sent.pairs[{tree[above], tree[place]}] += bytes / 2;
        }
}

/// Ways to gather, scatter or sum up.
enum class Way { ring, trees, toSwitch };

/// The quickest. What is gathered or scattered goes to a switch where it copies and that takes less, in fewer
/// steps.
Way quickestWay(const RingsSpeed& speed, double bytes, double count, double start, bool sums) {
    if (!sums) {
        const bool viaSwitch =
            speed.switchSums && speed.ranks > 2 &&
            speed.switchGathers(bytes, count, start) < speed.ringGathers(bytes, count, start);
        return viaSwitch ? Way::toSwitch : Way::ring;
    }
    const double ring = speed.ringSums(bytes, count, start), trees = speed.treeSums(bytes, count, start);
    if (speed.switchSums && speed.switchSumsS(bytes, count, start) < std::min(ring, trees))
        return Way::toSwitch;
    return trees < ring ? Way::trees : Way::ring;
}

/// How many bytes each of so many is counted to send.
double sentByEach(Way way, double bytes, bool sums, int ranks) {
    const double once = bytes * (ranks - 1) / ranks;
    if (!sums) return once;
    return way == Way::ring ? 2 * once : way == Way::trees ? 2 * bytes : bytes;
}

/// Up to the switch and down again is the way from one to the next.
void send(Way way, const std::vector<int>& devices, double each, const Network& network, SentBetween& sent) {
    if (way == Way::toSwitch) return goRound(devices, each, sent);
    if (way == Way::ring && network.laidTogether(devices) > 0) {
        for (const auto& [along, bytes] : network.laidWays(devices, each)) sent.ways[along] += bytes;
        return;
    }
    const auto orders = network.ordersTogether(devices);
    for (const std::vector<int>& order : orders)
        if (way == Way::trees)
            goUpAndDown(order, each / 2 / static_cast<double>(orders.size()), sent);
        else
            goRound(order, each / static_cast<double>(orders.size()), sent);
}

}  // namespace

SentBetween sentBetween(double bytes, bool sums, const std::vector<int>& devices, const Network& network,
                        double start) {
    SentBetween sent;
    if (devices.size() < 2) return sent;
    const int ranks = static_cast<int>(devices.size());
    if (start == 0) {
        goRound(devices, sent.each = sentByEach(Way::ring, bytes, sums, ranks), sent);
        return sent;
    }
    const Way way = quickestWay(RingsSpeed({devices}, network, true), bytes, 1, start, sums);
    sent.each = sentByEach(way, bytes, sums, ranks);
    send(way, devices, sent.each, network, sent);
    return sent;
}

namespace {

/// What the groups of a stage send for a layer: bytes of a tensor, and how many collectives they are of.
struct SentByGroups {
    double bytes = 0, count = 0;
    bool sums = false;
};

/// Where divided tensors begin and end: a gather and a scatter each, the gather once more backward; else a
/// sum over all.
SentByGroups sentByTensor(const LayerDivision& division, const Group& group, double part, bool backward) {
    const double in = division.entryBytes / group.context * part,
                 out = division.exitBytes / group.context * part;
    const double entries = countOf(division.entries, division.entryBytes, 1),
                 exits = countOf(division.exits, division.exitBytes, 1);
    if (!group.sequenceParallel)
        return backward ? SentByGroups{in, entries, true} : SentByGroups{out, exits, true};
    return backward ? SentByGroups{2 * in + out, 2 * entries + exits, false}
                    : SentByGroups{in + out, entries + exits, false};
}

/// Keys and values that go once round.
double keysAndValues(const LayerDivision& division, const Group& group, double part) {
    return division.keyValueBytes / group.tensor * part * (group.context - 1) / group.context;
}

/// Tokens that a rank with as many as the mean sends to experts, or gets back.
double tokensSent(const LayerDivision& division, const Group& group, double part) {
    return division.routedBytes * tokenPart(group) * part * (group.expert - 1) / group.expert;
}

/// nullptr: nothing is sent, or it is in measured times.
const LayerDivision* sendingDivision(const Problem& problem, const Stage& stage, int layer) {
    const Layer& own = problem.profile.layers[at(layer)];
    if (!own.division || !stage.group.dividesLayers()) return nullptr;
    for (const RankMeasurement* each : foundOn(own, stage.group))
        if (each->times) return nullptr;
    return &*own.division;
}

}  // namespace

SendingTimes sendingTimes(const Problem& problem, const Stage& stage, int layer, const Network& network,
                          double part) {
    const Group& group = stage.group;
    const LayerDivision* division = sendingDivision(problem, stage, layer);
    SendingTimes times;
    if (!division) return times;
    const double start = problem.setup.collectiveStartS;
    if (group.tensor > 1 && division->entryBytes + division->exitBytes > 0) {
        const RingsSpeed speed(rings(stage.devices, group.tensor, 1), network, true);
        for (const bool backward : {false, true}) {
            const SentByGroups sent = sentByTensor(*division, group, part, backward);
            (backward ? times.tensor.backward : times.tensor.forward) =
                sent.sums ? speed.sums(sent.bytes, sent.count, start)
                          : speed.gathers(sent.bytes, sent.count, start);
        }
    }
    if (group.context > 1 && division->keyValueBytes > 0) {
        const RingsSpeed speed(rings(stage.devices, group.context, group.tensor), network);
        const double round = keysAndValues(*division, group, part) / speed.width,
                     besides = countOf(division->keyValueRounds, division->keyValueBytes, 1) *
                               (start + (group.context - 1) * speed.latency);
        times.context = {round + besides, 2 * round + besides};
    }
    if (group.expert > 1 && division->routedBytes > 0) {
        const RingsSpeed speed(rings(stage.devices, group.expert, 1), network);
        const double busiest = std::min<double>(problem.setup.expertImbalance, group.expert);
        const double each = busiest * tokensSent(*division, group, part) / speed.width +
                            countOf(division->routings, division->routedBytes, 2) * (start + speed.latency);
        times.experts = {each, each};
    }
    return times;
}

SentBetween sentInside(const Problem& problem, const Stage& stage, int layer, const Network& network,
                       double part, SendingTimes::Passes SendingTimes::*kind, bool backward) {
    const Group& group = stage.group;
    const LayerDivision* division = sendingDivision(problem, stage, layer);
    SentBetween sent;
    if (!division) return sent;
    if (kind == &SendingTimes::tensor && group.tensor > 1) {
        const auto lists = rings(stage.devices, group.tensor, 1);
        const SentByGroups all = sentByTensor(*division, group, part, backward);
        const RingsSpeed speed(lists, network, true);
        const Way way = quickestWay(speed, all.bytes, all.count, problem.setup.collectiveStartS, all.sums);
        sent.each = sentByEach(way, all.bytes, all.sums, group.tensor);
        for (const std::vector<int>& ranks : lists) send(way, ranks, sent.each, network, sent);
    }
    if (kind == &SendingTimes::context && group.context > 1) {
        sent.each = keysAndValues(*division, group, part) * (backward ? 2 : 1);
        for (const std::vector<int>& ranks : rings(stage.devices, group.context, group.tensor))
            goRound(ranks, sent.each, sent);
    }
    if (kind == &SendingTimes::experts && group.expert > 1) {
        // Of an uneven load only what the busiest has is known: links carry the mean.
        const double mean = tokensSent(*division, group, part);
        sent.each = mean * std::min<double>(problem.setup.expertImbalance, group.expert);
        for (const std::vector<int>& ranks : rings(stage.devices, group.expert, 1))
            for (const int from : ranks)
                for (const int to : ranks)
                    if (from != to) sent.pairs[{from, to}] += mean / (group.expert - 1);
    }
    return sent;
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
