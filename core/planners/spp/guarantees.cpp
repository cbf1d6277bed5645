#include "core/planners/spp/guarantees.h"

#include "core/base/units.h"
#include "core/cost/state_syncs.h"
#include "core/cost/update_cost.h"
#include "core/runs/device_list.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>

namespace stagecraft::planners {

namespace {

struct Spread {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    bool latency = false;
};

Spread bandwidths(const CostModel& costs) {
    const Interconnect& network = costs.interconnect();
    const std::vector<int> all = devicesAsNumbered(network.deviceCount());
    return {network.minBandwidthBps(all, all), network.mostBandwidthBps(), network.maxLatencyS(all, all) > 0};
}

bool equalSpeeds(const Cluster& cluster) {
    return std::all_of(cluster.devices.begin(), cluster.devices.end(),
                       [&](const Device& device) { return device.speed == cluster.devices.front().speed; });
}

bool stagesFormChain(const CostModel& costs, const std::vector<Stage>& stages) {
    Plan plan;
    plan.stages = stages;
    const std::vector<StageEdge> edges = costs.stageEdges(plan);
    return std::all_of(edges.begin(), edges.end(),
                       [](const StageEdge& edge) { return edge.to == edge.from + 1; });
}

/// Why the paper's model is not the problem's, or nothing.
std::string beyondPaperModel(const CostModel& costs, const SppOutcome& outcome) {
    std::string reasons;
    const auto add = [&](const char* reason) {
        reasons += (reasons.empty() ? "" : ", ") + std::string(reason);
    };
    if (!equalSpeeds(costs.problem().cluster)) add("the devices differ in speed");
    if (bandwidths(costs).latency) add("links have latency");
    if (!costs.splitsEvenly()) add("a stage's time is not in proportion to its share of a microbatch");
    if (!costs.problem().profile.isChain()) add("the network is not a chain of layers");
    const TrainingSetup& setup = costs.problem().setup;
    if (setup.zero >= ZeroStage::gradients) add("ZeRO-2 and 3 have collectives for each microbatch");
    if (setup.passOverheadS > 0 || setup.transferOverheadS > 0) add("passes or transfers have an overhead");
    if (setup.collectiveStartS > 0) add("collectives have a start");
    if (setup.updateBytesPerS > 0) add("the optimizer's step takes time");
    if (setup.recomputation != Recomputation::none) add("other plans need not recompute");
    if (!outcome.allStageNumbers) add("not all stage numbers were tried");
    if (!outcome.recursiveOrder) add("the devices are not in RDO's order");
    return reasons;
}

}  // namespace

PlanLoad planLoad(const CostModel& costs, const std::vector<Stage>& stages) {
    const double microbatches = costs.problem().setup.microbatches;
    Plan plan;
    plan.stages = stages;
    PlanLoad load;
    for (int index = 0; index < plan.stageCount(); ++index) {
        const Stage& stage = stages[static_cast<std::size_t>(index)];
        const StageCost cost = costs.stage(plan, index);
        const double work = cost.forwardS + cost.backwardS;
        const double allReduce =
            costs.allReduceS(costs.synchronisedBytes(stage.firstLayer, stage.lastLayer), stage.devices);
        load.microbatchS = std::max(load.microbatchS, work);
        load.allReduceS = std::max(load.allReduceS, allReduce);
        load.maximumS = std::max(load.maximumS, microbatches * work + allReduce);
        if (index == 0) continue;
        const TransferCost transfer = costs.transfer(
            costs.cutForwardBytes(stage.firstLayer - 1), costs.cutBackwardBytes(stage.firstLayer - 1),
            stages[static_cast<std::size_t>(index - 1)].devices, stage.devices);
        const double both = transfer.forwardS + transfer.backwardS;
        load.microbatchS = std::max(load.microbatchS, both);
        load.maximumS = std::max(load.maximumS, microbatches * both);
    }
    return load;
}

double bandwidthSpread(const CostModel& costs) {
    if (costs.deviceCount() < 2) return 0;
    const Spread spread = bandwidths(costs);
    const double speed = costs.problem().cluster.devices.front().speed;
    double longest = 0, total = 0, largest = 0;
    for (int layer = 0; layer < costs.layerCount(); ++layer) {
        const double time = (costs.forwardS(layer, layer) + costs.backwardS(layer, layer)) / speed;
        longest = std::max(longest, time);
        total += time;
        if (layer + 1 < costs.layerCount())
            largest = std::max(largest, costs.cutForwardBytes(layer) + costs.cutBackwardBytes(layer));
    }
    const double perDevice = total / costs.deviceCount();
    return std::max(longest * spread.most, largest) / perDevice * (1 / spread.least - 1 / spread.most);
}

double approximationFactor(int devices, int microbatches, double phi) {
    return (2 + (4.0 * devices - 4) / microbatches) * (1 + phi);
}

namespace {

double secondsOf(std::string_view unit) {
    constexpr std::pair<std::string_view, double> units[] = {{"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3},
                                                             {"s", 1},     {"min", 60},  {"h", 3600}};
    for (const auto& [name, seconds] : units)
        if (name == unit) return seconds;
    return 1;
}

/// max A as the engine has it: planLoad() counts the bytes of collectives and not their start.
double allReduceWithStartS(const CostModel& costs, const std::vector<Stage>& stages) {
    Plan plan;
    plan.stages = stages;
    double longestS = 0;
    for (const DataParallelGroup& group : costs.dataParallelGroups(plan)) {
        double seconds = 0;
        for (const StateSync& sync : stateSyncs(costs.problem()))
            if (sync.trigger == SyncTrigger::iteration) seconds += group.secondsOf(sync);
        longestS = std::max(longestS, seconds);
    }
    return longestS;
}

/// C with the overhead of a recomputation, which is a pass of its own.
double microbatchWithOverheadsS(const CostModel& costs, const std::vector<Stage>& stages,
                                const PlanLoad& load) {
    const TrainingSetup& setup = costs.problem().setup;
    if (setup.recomputation == Recomputation::none || setup.passOverheadS <= 0) return load.microbatchS;
    Plan plan;
    plan.stages = stages;
    double longestS = load.microbatchS;
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        const StageCost cost = costs.stage(plan, stage);
        longestS = std::max(longestS, cost.forwardS + cost.backwardS + setup.passOverheadS);
    }
    return longestS;
}

std::string unitOf(const std::string& text) { return text.substr(text.find(' ') + 1); }

/// A number of seconds with as many digits as are asked for, in the unit of formatSeconds.
std::string withDigits(double seconds, int digits) {
    const std::string unit = unitOf(formatSeconds(seconds));
    const double value = seconds / secondsOf(unit);
    if (!std::isfinite(value) || value == 0) return formatSeconds(seconds);
    const int before = std::max(1, static_cast<int>(std::floor(std::log10(std::fabs(value)))) + 1);
    char buffer[64];
    const auto end = std::to_chars(std::begin(buffer), std::end(buffer), value, std::chars_format::fixed,
                                   std::max(0, digits - before));
    return end.ec == std::errc() ? std::string(buffer, end.ptr) + " " + unit : formatSeconds(seconds);
}

/// What a person reads of that text, in seconds.
double readBack(const std::string& text) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value * secondsOf(unitOf(text));
}

/// The two terms of passes * eachS + onceS with as few digits as let whoever adds up what is printed arrive
/// at the sum that is printed.
std::pair<std::string, std::string> printedTerms(int passes, double eachS, double onceS, double sumS) {
    constexpr int usual = 3, most = 12;
    for (int digits = usual; digits < most; ++digits) {
        const std::string each = digits == usual ? formatSeconds(eachS) : withDigits(eachS, digits);
        const std::string once = digits == usual ? formatSeconds(onceS) : withDigits(onceS, digits);
        if (formatSeconds(passes * readBack(each) + readBack(once)) == formatSeconds(sumS))
            return {each, once};
    }
    return {withDigits(eachS, most), withDigits(onceS, most)};
}

/// Each device has one stage, whose update follows its AllReduce.
double longestUpdateS(const CostModel& costs, const std::vector<Stage>& stages) {
    Plan plan;
    plan.stages = stages;
    double update = 0, pass = 0;
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        const bool isSummed = stages[static_cast<std::size_t>(stage)].devices.size() > 1;
        update = std::max(update, updateS(costs, plan, stage));
        pass = std::max(pass, gradientPassS(costs, plan, stage, isSummed));
    }
    return pass + update;
}

}  // namespace

Guarantee lemma1(const CostModel& costs, const std::vector<Stage>& stages) {
    PlanLoad load = planLoad(costs, stages);
    if (costs.problem().setup.collectiveStartS > 0) load.allReduceS = allReduceWithStartS(costs, stages);
    load.allReduceS += longestUpdateS(costs, stages);
    load.microbatchS = microbatchWithOverheadsS(costs, stages, load);
    const int microbatches = costs.problem().setup.microbatches;
    const int count = static_cast<int>(stages.size());
    Guarantee guarantee;
    guarantee.name = "Lemma 1";
    guarantee.boundS = (microbatches + 4.0 * count - 4) * load.microbatchS + load.allReduceS;
    const int passes = microbatches + 4 * count - 4;
    const auto [each, once] = printedTerms(passes, load.microbatchS, load.allReduceS, guarantee.boundS);
    guarantee.because = "(M + 4|S| - 4) C + max A = (" + std::to_string(microbatches) + " + 4 * " +
                        std::to_string(count) + " - 4) * " + each + " + " + once + " = " +
                        formatSeconds(guarantee.boundS) +
                        "; C is the most that a stage or channel works for one microbatch";
    if (costs.problem().setup.updateBytesPerS > 0) guarantee.because += ", and A has the optimizer's step";
    if (costs.problem().setup.channel == ChannelMode::halfDuplexFifo) {
        guarantee.holds = false;
        guarantee.because += ". It does not hold for half-duplex channels that serve first come first served";
    } else if (!stagesFormChain(costs, stages)) {
        guarantee.holds = false;
        guarantee.because += ". It is proven for chains of stages; here a layer's output skips a stage";
    } else if (costs.problem().setup.zero >= ZeroStage::gradients) {
        guarantee.holds = false;
        guarantee.because +=
            ". It is proven for gradients that are summed once; ZeRO-2 and 3 have collectives for "
            "each microbatch";
    }
    return guarantee;
}

Guarantee lemma2(const CostModel& costs, const SppOutcome& outcome) {
    const double phi = bandwidthSpread(costs);
    Guarantee guarantee;
    guarantee.name = "Lemma 2";
    guarantee.factor = 1 + phi;
    guarantee.because = "PRM's W = " + formatSeconds(outcome.leastMaximumS) +
                        " is at most 1 + Φ = " + formatNumber(1 + phi) +
                        " times W*, the least maximal time of a stage or channel over all " +
                        "partitions and mappings that use all devices; so W* is at least " +
                        formatSeconds(outcome.leastMaximumS / (1 + phi)) +
                        ". Φ = max{p_max b_max, d_max} / Γ · (1/b_min − 1/b_max) = " + formatNumber(phi);
    const std::string outside = beyondPaperModel(costs, outcome);
    if (!outside.empty()) {
        guarantee.holds = false;
        guarantee.because += ". Not proven here: " + outside;
    }
    return guarantee;
}

Guarantee theorem1(const CostModel& costs, const SppOutcome& outcome) {
    const double phi = bandwidthSpread(costs);
    const int devices = costs.deviceCount(), microbatches = costs.problem().setup.microbatches;
    const double pipelining = approximationFactor(devices, microbatches, 0);
    Guarantee guarantee;
    guarantee.name = "Theorem 1";
    guarantee.factor = approximationFactor(devices, microbatches, phi);
    guarantee.boundS = pipelining * outcome.leastMaximumS;
    guarantee.because =
        "SPP's time < (2 + (4V − 4)/M)(1 + Φ) T* = (2 + (4 · " + std::to_string(devices) + " − 4)/" +
        std::to_string(microbatches) + ")(1 + " + formatNumber(phi) +
        ") T* = " + formatNumber(guarantee.factor) +
        " T*; so T*, the best time of any plan that uses all devices, " + "is above " +
        formatSeconds(outcome.iterationTimeS / guarantee.factor) +
        ". In seconds, it is at most (2 + (4V − 4)/M) times PRM's W: " + formatNumber(pipelining) + " · " +
        formatSeconds(outcome.leastMaximumS);
    switch (costs.problem().setup.channel) {
        case ChannelMode::halfDuplex:
            break;
        case ChannelMode::fullDuplex:
            guarantee.holds = false;
            guarantee.because +=
                ". It is proven for channels whose directions share one resource and does not hold where "
                "each "
                "has its own, as here; there twice the factor holds";
            break;
        case ChannelMode::halfDuplexFifo:
            guarantee.holds = false;
            guarantee.because += ". It rests on Lemma 1, which does not hold first come first served";
            break;
    }
    const std::string outside = beyondPaperModel(costs, outcome);
    if (!outside.empty()) {
        guarantee.holds = false;
        guarantee.because += ". Not proven here: " + outside;
    }
    return guarantee;
}

}  // namespace stagecraft::planners
