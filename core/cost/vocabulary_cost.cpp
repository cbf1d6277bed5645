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
void addHead(const CostModel& costs, int head, VocabularyPasses passes, double rate,
             VocabularyCost::Share& share) {
    const double forward = costs.forwardS(head, head), backward = costs.backwardS(head, head);
    const double early =
        passes == VocabularyPasses::oneBarrier ? backward - costs.weightGradientS(head, head) : 0;
    const double overheadS = costs.problem().setup.passOverheadS;
    share.headForwardS = (forward + early) / rate + overheadS;
    share.headBackwardS = (backward - early) / rate + overheadS;
}

void addCollectives(const CostModel& costs, const VocabularyLayers& layers, VocabularyPasses passes,
                    VocabularyCost& cost) {
    const double k = static_cast<double>(cost.devices.size());
    if (k < 2) return;
    const Interconnect& links = costs.interconnect();
    const double bandwidth = links.minBandwidthBps(cost.devices, cost.devices);
    const double startS =
        links.maxLatencyS(cost.devices, cost.devices) + costs.problem().setup.transferOverheadS;
    const double around = 2 * (k - 1) / k;
    cost.headInputBytes = costs.cutForwardBytes(layers.head - 1);
    cost.headGradientBytes = around * costs.cutBackwardBytes(layers.head - 1);
    cost.headInputS = cost.headInputBytes / bandwidth + startS;
    const double gradientS = cost.headGradientBytes / bandwidth;
    const bool together = passes == VocabularyPasses::oneBarrier;
    cost.headBarrierS = startS + (together ? gradientS : 0);
    cost.headGradientS = together ? 0 : startS + gradientS;
    if (!cost.hasEmbedding) return;
    cost.embeddingOutputBytes = around * costs.cutForwardBytes(layers.embedding);
    cost.embeddingReturnBytes = costs.cutBackwardBytes(layers.embedding);
    cost.embeddingOutputS = cost.embeddingOutputBytes / bandwidth + startS;
    cost.embeddingReturnS = cost.embeddingReturnBytes / bandwidth + startS;
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

VocabularyCost vocabularyCost(const CostModel& costs, const Plan& plan) {
    VocabularyCost cost;
    const VocabularyPasses passes = plan.schedule.vocabulary();
    if (passes == VocabularyPasses::none || !whyNotShared(costs.problem(), plan).empty()) return cost;
    const VocabularyLayers shared = vocabularyLayers(costs.problem().profile);
    cost.hasEmbedding = shared.embedding >= 0;
    const double ranks = plan.stageCount(), overheadS = costs.problem().setup.passOverheadS;
    for (const Stage& stage : plan.stages) {
        VocabularyCost::Share& share = cost.shares.emplace_back();
        const double rate = ranks * costs.slowestSpeed(stage.devices);
        addHead(costs, shared.head, passes, rate, share);
        share.heldBytes = heldBytes(costs, shared.head, ranks);
        cost.devices.push_back(stage.devices.front());
        if (!cost.hasEmbedding) continue;
        share.embeddingForwardS = costs.forwardS(shared.embedding, shared.embedding) / rate + overheadS;
        share.embeddingBackwardS = costs.backwardS(shared.embedding, shared.embedding) / rate + overheadS;
    }
    std::sort(cost.devices.begin(), cost.devices.end());
    addCollectives(costs, shared, passes, cost);
    return cost;
}

double heldParameterBytes(const CostModel& costs, const Plan& plan, int stage) {
    const LayerSpan own = passLayers(costs.problem().profile, plan, stage);
    const double bytes =
        costs.parameterBytes(own.first, own.last, plan.stages[static_cast<std::size_t>(stage)].group);
    if (!plan.schedule.sharesVocabulary()) return bytes;
    const VocabularyLayers shared = vocabularyLayers(costs.problem().profile);
    double words = 0;
    for (const int layer : {shared.embedding, shared.head})
        if (layer >= 0) words += costs.parameterBytes(layer, layer);
    return bytes + words / plan.stageCount();
}

}  // namespace stagecraft::cost
