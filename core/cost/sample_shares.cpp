#include "core/cost/sample_shares.h"

#include "core/base/units.h"
#include "core/cost/stage_layout.h"
#include "core/model/profile_sizes.h"

#include <algorithm>

namespace stagecraft::cost {

namespace {

std::string counted(int number, const std::string& noun) {
    const bool hisses = noun.ends_with("ch");
    return std::to_string(number) + " " + noun + (number == 1 ? "" : hisses ? "es" : "s");
}

/// Forward and backward of layers first..last for `samples`, at speed 1.
double workS(const LayerProfile& profile, int first, int last, int samples) {
    const std::vector<int> measured = measuredSizes(profile);
    const SizeWeights weights = weightsAtSize(measured, samples);
    double sum = 0;
    for (int layer = first; layer <= last; ++layer) {
        const LayerTimes low = measuredTimes(profile, layer, measured[weights.low]);
        const LayerTimes high = measuredTimes(profile, layer, measured[weights.high]);
        sum += weights.lowWeight * (low.forwardS + low.backwardS) +
               weights.highWeight * (high.forwardS + high.backwardS);
    }
    return sum;
}

/// Forward and backward of a microbatch as if the setup had whole samples.
double workOfWholeSamplesS(const CostModel& costs, const Plan& plan, int stage) {
    TrainingSetup setup = costs.problem().setup;
    setup.wholeSamples = true;
    const StageCost cost = costs.withSetup(setup).wholeMicrobatch(plan, stage);
    return cost.forwardS + cost.backwardS;
}

std::string splitSentence(const std::vector<SplitSamples>& all) {
    const SplitSamples& worst = *std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return a.wholeS - a.countedS < b.wholeS - b.countedS;
    });
    const char* replica = worst.isGroups ? "group" : "GPU";
    std::string text = "Stage " + std::to_string(worst.stage) + " splits each microbatch of " +
                       counted(worst.samples, "sample") + " over " + std::to_string(worst.replicas) + " " +
                       replica + "s: times and activations are those of " +
                       formatNumber(static_cast<double>(worst.samples) / worst.replicas) + " samples per " +
                       replica + ". With whole samples, " + counted(worst.withLargest, replica) +
                       (worst.withLargest == 1 ? " gets " : " get ") + std::to_string(worst.largestShare) +
                       ", and forward and backward of a microbatch take " + formatSeconds(worst.wholeS) +
                       ", not " + formatSeconds(worst.countedS) + ".";
    const int others = static_cast<int>(all.size()) - 1;
    if (others > 0) text += " The same goes for " + counted(others, "more stage") + ".";
    return text;
}

/// "2 get 3, the other 1 gets 2": what is dealt in turn to `takers`.
std::string dealt(int microbatches, int takers) {
    const int withMore = microbatches % takers, least = microbatches / takers;
    const auto get = [](int number) { return number == 1 ? " gets " : " get "; };
    const int others = takers - withMore;
    return std::to_string(withMore) + get(withMore) + std::to_string(least + 1) + ", the other" +
           (others == 1 ? "" : " " + std::to_string(others)) + get(others) + std::to_string(least) + ".";
}

bool keepsBarrier(const CostModel& costs, const Plan& plan) {
    return plan.miniBatch.barrier || costs.problem().setup.mode == TrainingMode::synchronous;
}

/// The first stage whose replicas take turns and do not come out even. Without a barrier the next mini-batch
/// continues where the last one ended, so that over time all get as many.
std::string turnsSentence(const CostModel& costs, const Plan& plan) {
    if (!keepsBarrier(costs, plan)) return {};
    const int pipelines = plan.pipelineCount();
    for (int index = 0; index < plan.stageCount(); ++index) {
        const Stage& stage = plan.stages[static_cast<std::size_t>(index)];
        const int replicas = StageLayout(stage).turns();
        const int own = (costs.problem().setup.microbatches - stage.pipeline + pipelines - 1) / pipelines;
        if (own % replicas == 0) continue;
        return "The " + std::to_string(replicas) + " GPUs of stage " + std::to_string(index) +
               " take turns with " + counted(own, "microbatch") + " per mini-batch: " + dealt(own, replicas);
    }
    return {};
}

std::string pipelinesSentence(const CostModel& costs, const Plan& plan) {
    const int pipelines = plan.pipelineCount(), microbatches = costs.problem().setup.microbatches;
    if (pipelines < 2 || microbatches % pipelines == 0) return {};
    return "The " + std::to_string(pipelines) + " pipelines share " + counted(microbatches, "microbatch") +
           " per mini-batch: " + dealt(microbatches, pipelines);
}

}  // namespace

std::vector<SplitSamples> splitSamples(const CostModel& costs, const Plan& plan) {
    const LayerProfile& profile = costs.problem().profile;
    const int samples = profile.microbatchSize;
    std::vector<SplitSamples> found;
    if (costs.problem().setup.wholeSamples) return found;
    for (int index = 0; index < plan.stageCount(); ++index) {
        const Stage& stage = plan.stages[static_cast<std::size_t>(index)];
        const int replicas = StageLayout(stage).sharers();
        if (samples % replicas == 0) continue;
        SplitSamples split{index, samples, replicas};
        split.largestShare = samples / replicas + 1;
        split.withLargest = samples % replicas;
        const StageCost cost = costs.wholeMicrobatch(plan, index);
        split.countedS = cost.forwardS + cost.backwardS;
        split.isGroups = stage.group.ranksOfCopy() > 1;
        split.wholeS = stage.group.dividesLayers() || costs.measuredKinds()
                           ? workOfWholeSamplesS(costs, plan, index)
                           : workS(profile, stage.firstLayer, stage.lastLayer, split.largestShare) /
                                 costs.slowestSpeed(stage.devices);
        found.push_back(split);
    }
    return found;
}

std::vector<std::string> unevenShares(const CostModel& costs, const Plan& plan) {
    std::vector<std::string> sentences;
    if (const std::vector<SplitSamples> split = splitSamples(costs, plan); !split.empty())
        sentences.push_back(splitSentence(split));
    for (std::string sentence : {turnsSentence(costs, plan), pipelinesSentence(costs, plan)})
        if (!sentence.empty()) sentences.push_back(std::move(sentence));
    return sentences;
}

}  // namespace stagecraft::cost
