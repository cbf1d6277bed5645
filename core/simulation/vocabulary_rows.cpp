#include "core/simulation/vocabulary_rows.h"

#include "core/base/indices.h"

#include <algorithm>

namespace stagecraft::simulation {

void VocabularyRows::add() {
    if (!cost_.isShared()) return;
    addPasses();
    addHead();
    if (cost_.hasEmbedding) addEmbedding();
}

int VocabularyRows::addPass(BlockKind kind, int stage, double seconds) {
    return draft_.addRow(kind, stage, {{draft_.lanes().computeLanes(stage), seconds}}, RowTrigger::pass);
}

void VocabularyRows::addPasses() {
    for (int s = 0; s < draft_.plan().stageCount(); ++s) {
        const VocabularyCost::Share& share = cost_.shares[at(s)];
        StageRows& rows = draft_.rowsOf(s);
        rows.headForward = addPass(BlockKind::headForward, s, share.headForwardS);
        rows.headBackward = addPass(BlockKind::headBackward, s, share.headBackwardS);
        if (!cost_.hasEmbedding) continue;
        rows.embeddingForward = addPass(BlockKind::embeddingForward, s, share.embeddingForwardS);
        rows.embeddingBackward = addPass(BlockKind::embeddingBackward, s, share.embeddingBackwardS);
    }
}

int VocabularyRows::addCollective(BlockKind kind, int stage, double seconds, bool isInOrders) {
    std::vector<int> lanes;
    if (isInOrders) {
        for (int s = 0; s < draft_.plan().stageCount(); ++s)
            lanes.push_back(draft_.lanes().computeLanes(s).front());
        std::sort(lanes.begin(), lanes.end());
    } else {
        lanes.push_back(draft_.lanes().collectiveLane(cost_.devices, 0));
    }
    TaskVariant variant{std::move(lanes), seconds};
    if (LinkFlows* flows = draft_.flows())
        variant.flow = flows->addTogether(cost_, draft_.stage(stage), kind, seconds);
    return draft_.addRow(kind, stage, {std::move(variant)}, RowTrigger::pass);
}

void VocabularyRows::addHead() {
    const int stages = draft_.plan().stageCount(), last = stages - 1;
    const bool inOrders = isInterlaced();
    const int input = addCollective(BlockKind::headInput, last, cost_.headInputS, inOrders);
    const int barrier = addCollective(BlockKind::headBarrier, last, cost_.headBarrierS, inOrders);
    draft_.follow(draft_.rowsOf(last).forward, input);
    int gradient = barrier;
    if (draft_.plan().schedule.vocabulary() != VocabularyPasses::oneBarrier)
        gradient = addCollective(BlockKind::headGradient, last, cost_.headGradientS, inOrders);
    for (int s = 0; s < stages; ++s) {
        StageRows& rows = draft_.rowsOf(s);
        draft_.follow(input, rows.headForward);
        draft_.follow(rows.headForward, barrier);
        draft_.follow(barrier, rows.headBackward);
        if (gradient != barrier) draft_.follow(rows.headBackward, gradient);
        if (!inOrders) continue;
        rows.headInput = input;
        rows.headBarrier = barrier;
        rows.headGradient = gradient;
    }
    draft_.follow(gradient, draft_.rowsOf(last).firstOfBackward());
}

void VocabularyRows::addEmbedding() {
    const int output = addCollective(BlockKind::embeddingOutput, 0, cost_.embeddingOutputS, false);
    const int back = addCollective(BlockKind::embeddingReturn, 0, cost_.embeddingReturnS, false);
    for (int s = 0; s < draft_.plan().stageCount(); ++s) {
        const StageRows& rows = draft_.rowsOf(s);
        draft_.follow(rows.embeddingForward, output);
        draft_.follow(rows.embeddingForward, rows.embeddingBackward);
        draft_.follow(back, rows.embeddingBackward);
    }
    draft_.follow(output, draft_.rowsOf(0).forward);
    draft_.follow(draft_.rowsOf(0).backward, back);
}

}  // namespace stagecraft::simulation
