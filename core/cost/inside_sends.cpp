#include "core/cost/inside_sends.h"

namespace stagecraft::cost {

namespace {

InsideSend sendOf(const CollectiveRanks& ranks, const CollectiveCost& forward,
                  const CollectiveCost& backward) {
    if (forward.bytes == 0 && backward.bytes == 0) return {};
    return {forward.bytes,   backward.bytes,    forward.bandwidthBps, backward.bandwidthBps, forward.startS,
            backward.startS, forward.algorithm, backward.algorithm,   ranks.severalRings,    false};
}

InsideSend tensorSend(const SentInside& sent, const InsideRanks& of) {
    const bool scatters = of.group.sequenceParallel;
    const double forward = scatters ? sent.entries + sent.exits : sent.exits,
                 backward = scatters ? 2 * sent.entries + sent.exits : sent.entries;
    return sendOf(of.tensor,
                  fastestCollectives({forward, sent.tensorForward, !scatters}, of.tensor, of.startS),
                  fastestCollectives({backward, sent.tensorBackward, !scatters}, of.tensor, of.startS));
}

/// Keys and values pass all ranks, one step after the other.
InsideSend contextSend(const SentInside& sent, const InsideRanks& of) {
    const auto round = [&](double bytes) {
        return sentInSteps({sent.rounds, bytes}, of.context, of.startS, of.context.count - 1,
                           CollectiveAlgorithm::ring);
    };
    return sendOf(of.context, round(sent.contextForward), round(sent.contextBackward));
}

/// The busiest rank gets so many more tokens, and gives as many back.
InsideSend expertSend(const SentInside& sent, const InsideRanks& of) {
    const CollectiveCost each = sentInSteps({sent.routings, of.imbalance * sent.expert}, of.expert, of.startS,
                                            1, CollectiveAlgorithm::eachToEach);
    return sendOf(of.expert, each, each);
}

/// At which all bytes take as long as each at its own rate.
double meanBps(double bytes, double bps, double otherBytes, double otherBps) {
    if (bytes == 0 || bps == otherBps) return otherBps;
    return otherBytes == 0 ? bps : (bytes + otherBytes) / (bytes / bps + otherBytes / otherBps);
}

}  // namespace

InsideSend& InsideSend::operator+=(const InsideSend& other) {
    if (other.isEmpty()) return *this;
    const auto differ = [](double mine, CollectiveAlgorithm by, double others, CollectiveAlgorithm otherBy) {
        return mine > 0 && others > 0 && by != otherBy;
    };
    isMixed = isMixed || other.isMixed ||
              differ(forwardBytes, forwardBy, other.forwardBytes, other.forwardBy) ||
              differ(backwardBytes, backwardBy, other.backwardBytes, other.backwardBy);
    forwardBps = meanBps(forwardBytes, forwardBps, other.forwardBytes, other.forwardBps);
    backwardBps = meanBps(backwardBytes, backwardBps, other.backwardBytes, other.backwardBps);
    severalRings = other.severalRings;
    forwardBytes += other.forwardBytes;
    backwardBytes += other.backwardBytes;
    forwardStartS += other.forwardStartS;
    backwardStartS += other.backwardStartS;
    if (other.forwardBytes > 0) forwardBy = other.forwardBy;
    if (other.backwardBytes > 0) backwardBy = other.backwardBy;
    return *this;
}

InsideSends& InsideSends::operator+=(const InsideSends& other) {
    tensor += other.tensor;
    context += other.context;
    expert += other.expert;
    return *this;
}

bool InsideRanks::costsBytesAlone() const {
    if (startS > 0 || tensor.switchSums) return false;
    return tensor.latencyS == 0 && context.latencyS == 0 && expert.latencyS == 0;
}

InsideSends insideSendsOf(const SentInside& sent, const InsideRanks& ranks) {
    return {tensorSend(sent, ranks), contextSend(sent, ranks), expertSend(sent, ranks)};
}

}  // namespace stagecraft::cost
