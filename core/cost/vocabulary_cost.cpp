#include "core/cost/vocabulary_cost.h"

#include "core/model/vocabulary.h"

#include <algorithm>

namespace stagecraft::cost {

namespace {

/// What a rank holds of a microbatch from S to T: what was broadcast, whole, and its share of all else.
double heldBytes(const CostModel& costs, int head, double ranks) {
    const double stored = costs.storedActivationBytes(head, head);
    const double input = std::min(costs.cutForwardBytes(head - 1), stored);
    return input + (stored - input) / ranks;
}

/// Alg. 2 makes the gradient of the head's input in S, and leaves that of its weights to T.
void addHead(const CostModel& costs, int head, VocabularyPasses passes, int copies, const ComputePace& pace,
             double parts, VocabularyCost::Share& share) {
    const ComputedTimes times = costs.computedAt(pace, head, head, copies);
    const double earlyS =
        passes == VocabularyPasses::oneBarrier ? times.backwardS - times.weightGradientS : 0;
    const double overheadS = costs.problem().setup.passOverheadS;
    const auto takes = [&](double& longestS, double seconds) {
        longestS = std::max(longestS, seconds / parts + overheadS);
    };
    takes(share.headForwardS, times.forwardS + earlyS);
    takes(share.headBackwardS, times.backwardS - earlyS);
}

/// What takes so many bytes of each copy, over the slowest link between any two of its devices.
double slowestCopyS(const CostModel& costs, const VocabularyCost& cost, double bytes) {
    const Interconnect& links = costs.interconnect();
    double seconds = 0;
    for (const std::vector<int>& copy : cost.copies) {
        const double startS = links.maxLatencyS(copy, copy) + costs.problem().setup.transferOverheadS;
        seconds = std::max(seconds, bytes / links.minBandwidthBps(copy, copy) + startS);
    }
    return seconds;
}

void addCollectives(const CostModel& costs, const VocabularyLayers& layers, VocabularyPasses passes,
                    VocabularyCost& cost) {
    const double k = static_cast<double>(cost.copies.front().size());
    if (k < 2) return;
    const double around = 2 * (k - 1) / k, parts = costs.dividedBy(static_cast<int>(cost.copies.size()));
    cost.headInputBytes = costs.cutForwardBytes(layers.head - 1) / parts;
    cost.headGradientBytes = around * costs.cutBackwardBytes(layers.head - 1) / parts;
    cost.headInputS = slowestCopyS(costs, cost, cost.headInputBytes);
    const double startS = slowestCopyS(costs, cost, 0),
                 gradientS = slowestCopyS(costs, cost, cost.headGradientBytes);
    const bool together = passes == VocabularyPasses::oneBarrier;
    cost.headBarrierS = together ? gradientS : startS;
    cost.headGradientS = together ? 0 : gradientS;
    if (!cost.hasEmbedding) return;
    cost.embeddingOutputBytes = around * costs.cutForwardBytes(layers.embedding) / parts;
    cost.embeddingReturnBytes = costs.cutBackwardBytes(layers.embedding) / parts;
    cost.embeddingOutputS = slowestCopyS(costs, cost, cost.embeddingOutputBytes);
    cost.embeddingReturnS = slowestCopyS(costs, cost, cost.embeddingReturnBytes);
}

}  // namespace

double VocabularyCost::bytesOf(BlockKind kind) const {
    switch (kind) {
        case BlockKind::headInput:
            return headInputBytes;
        case BlockKind::headBarrier:
            return headGradientS > 0 ? 0 : headGradientBytes;
        case BlockKind::headGradient:
            return headGradientBytes;
        case BlockKind::embeddingOutput:
            return embeddingOutputBytes;
        case BlockKind::embeddingReturn:
            return embeddingReturnBytes;
        default:
            return 0;
    }
}

std::vector<RankHop> VocabularyCost::hopsOf(BlockKind kind, const std::vector<int>& ends) const {
    const bool broadcasts = kind == BlockKind::headInput || kind == BlockKind::embeddingReturn;
    std::vector<RankHop> hops;
    for (const std::vector<int>& copy : copies)
        for (std::size_t i = 0; i < copy.size(); ++i) {
            const int to = copy[(i + 1) % copy.size()];
            if (!broadcasts || std::ranges::count(ends, to) == 0)
                hops.push_back({copy[i], to, bytesOf(kind)});
        }
    return hops;
}

VocabularyCost vocabularyCost(const CostModel& costs, const Plan& plan) {
    VocabularyCost cost;
    const VocabularyPasses passes = plan.schedule.vocabulary();
    if (passes == VocabularyPasses::none || !whyNotShared(costs.problem(), plan).empty()) return cost;
    const VocabularyLayers shared = vocabularyLayers(costs.problem().profile);
    cost.hasEmbedding = shared.embedding >= 0;
    cost.copies = vocabularySharers(plan);
    const int copies = static_cast<int>(cost.copies.size());
    const double ranks = plan.stageCount(), overheadS = costs.problem().setup.passOverheadS;
    for (const Stage& stage : plan.stages) {
        VocabularyCost::Share& share = cost.shares.emplace_back();
        const std::vector<ComputePace> paces = costs.slowestPaces(stage.devices);
        for (const ComputePace& pace : paces)
            addHead(costs, shared.head, passes, copies, pace, ranks * copies, share);
        share.heldBytes = heldBytes(costs, shared.head, ranks) / costs.dividedBy(copies);
        cost.devices.insert(cost.devices.end(), stage.devices.begin(), stage.devices.end());
        if (!cost.hasEmbedding) continue;
        const int words = shared.embedding;
        const ComputedTimes times = costs.computedBy(stage.devices, words, words, copies);
        share.embeddingForwardS = times.forwardS / (ranks * copies) + overheadS;
        share.embeddingBackwardS = times.backwardS / (ranks * copies) + overheadS;
    }
    std::sort(cost.devices.begin(), cost.devices.end());
    for (std::vector<int>& copy : cost.copies) std::sort(copy.begin(), copy.end());
    addCollectives(costs, shared, passes, cost);
    return cost;
}

}  // namespace stagecraft::cost
