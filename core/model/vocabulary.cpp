#include "core/model/vocabulary.h"

#include "core/base/counted.h"

#include <algorithm>

namespace stagecraft::model {

VocabularyLayers vocabularyLayers(const LayerProfile& profile) {
    VocabularyLayers found;
    if (profile.layers.empty()) return found;
    if (profile.layers.front().vocabulary == VocabularyLayer::embedding) found.embedding = 0;
    if (profile.layers.back().vocabulary == VocabularyLayer::head) found.head = profile.layerCount() - 1;
    return found;
}

void setVocabularyLayers(LayerProfile& profile, VocabularyEnds ends) {
    for (Layer& layer : profile.layers) layer.vocabulary = VocabularyLayer::none;
    if (profile.layers.empty() || ends == VocabularyEnds::none) return;
    if (ends == VocabularyEnds::both) profile.layers.front().vocabulary = VocabularyLayer::embedding;
    profile.layers.back().vocabulary = VocabularyLayer::head;
}

LayerSpan passLayers(const LayerProfile& profile, const Plan& plan, int index) {
    const Stage& stage = plan.stages[static_cast<std::size_t>(index)];
    LayerSpan range{stage.firstLayer, stage.lastLayer};
    if (!plan.schedule.sharesVocabulary()) return range;
    const VocabularyLayers shared = vocabularyLayers(profile);
    if (range.first == shared.embedding) ++range.first;
    if (range.last == shared.head) --range.last;
    return range;
}

std::vector<std::vector<int>> vocabularySharers(const Plan& plan) {
    std::vector<std::vector<int>> copies;
    for (const Stage& stage : plan.stages) {
        copies.resize(std::max(copies.size(), stage.devices.size()));
        for (std::size_t copy = 0; copy < stage.devices.size(); ++copy)
            copies[copy].push_back(stage.devices[copy]);
    }
    return copies;
}

std::string whyNoVocabulary(const LayerProfile& profile) {
    if (vocabularyLayers(profile).head >= 0) return {};
    return "the last layer" + (profile.name.empty() ? std::string() : " of " + profile.name) +
           " is no head of a vocabulary that single GPUs can share out (\"vocabulary\": \"head\" in the "
           "profile, and no groups of GPUs to a copy)";
}

namespace {

/// Of stages and their devices.
std::string whyNotSharedOut(const Problem& problem, const Plan& plan) {
    if (plan.pipelineCount() != 1)
        return "there are " + std::to_string(plan.pipelineCount()) +
               " copies of the network; expected one, over all of whose stages the vocabulary is shared out";
    const auto has = [&plan](int stage) {
        return "stage " + std::to_string(stage) + " has " +
               counted(plan.stages[static_cast<std::size_t>(stage)].devices.size(), "device");
    };
    std::vector<int> devices;
    for (int s = 0; s < plan.stageCount(); ++s) {
        const Stage& stage = plan.stages[static_cast<std::size_t>(s)];
        if (stage.group.ranksOfCopy() > 1)
            return "stage " + std::to_string(s) + " has groups of " +
                   counted(stage.group.ranksOfCopy(), "device") +
                   " to a copy; expected one: which words the GPUs of a group hold, and what they send for "
                   "them, is not counted";
        if (stage.devices.size() != plan.stages.front().devices.size())
            return has(s) + " and " + has(0) +
                   "; expected as many in each, so that each copy has its own devices to share the words "
                   "out among";
        if (stage.devices.size() > 1 && stage.replication == Replication::roundRobin)
            return "the copies of stage " + std::to_string(s) +
                   " take microbatches in turn; expected copies that split each";
        if (stage.devices.size() > 1 && problem.setup.zero >= ZeroStage::gradients)
            return "copies gather layers under ZeRO-2 and ZeRO-3; expected ZeRO-1 at most: what they gather "
                   "of "
                   "shared words is not counted";
        devices.insert(devices.end(), stage.devices.begin(), stage.devices.end());
        const LayerSpan own = passLayers(problem.profile, plan, s);
        if (own.last < own.first)
            return "stage " + std::to_string(s) +
                   " has nothing but layers of the vocabulary; expected others in each stage";
    }
    std::sort(devices.begin(), devices.end());
    if (std::adjacent_find(devices.begin(), devices.end()) != devices.end())
        return "a device holds several stages; expected one";
    return {};
}

}  // namespace

std::string whyNotShared(const Problem& problem, const Plan& plan) {
    if (!plan.schedule.sharesVocabulary()) return {};
    if (std::string why = whyNoVocabulary(problem.profile); !why.empty()) return why;
    if (!problem.profile.isChain())
        return "the layers are no chain; expected one, whose last layer has one input";
    if (problem.setup.mode != TrainingMode::synchronous)
        return "training is asynchronous; expected a synchronous update after each mini-batch";
    if (plan.weights.kind != WeightPolicyKind::single)
        return "the plan keeps several versions of the weights; expected one";
    return whyNotSharedOut(problem, plan);
}

}  // namespace stagecraft::model
