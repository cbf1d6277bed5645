#pragma once

#include "core/model/plan.h"
#include "tests/support/every_room.h"
#include "core/model/problem.h"
#include "core/model/rank_measurements.h"
#include "core/schedules/families.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

/// Random problems and plans for properties; the same seed gives the same.
namespace random_problem {

inline int upTo(std::mt19937& random, int most) {
    return static_cast<int>(random() % static_cast<unsigned>(most + 1));
}

inline stagecraft::model::Problem problem(std::mt19937& random, int layers, int devices) {
    using namespace stagecraft;
    Problem made;
    for (int layer = 0; layer < layers; ++layer) {
        const double backward = 1 + upTo(random, 9);
        made.profile.layers.push_back({"l" + std::to_string(layer), 1.0 + upTo(random, 9), backward,
                                       1.0 * upTo(random, 50), 1.0 * upTo(random, 40), 1.0 * upTo(random, 40),
                                       1.0 * upTo(random, 60), backward / 2});
    }
    if (random() % 3 == 0) {
        made.profile.microbatchSize = 3;
        for (const int size : {1, 2, 8}) {
            TimesAtSize& other = made.profile.otherSizes.emplace_back();
            other.microbatchSize = size;
            for (int layer = 0; layer < layers; ++layer) {
                const double backward = 1.0 + upTo(random, 9);
                other.layers.push_back({1.0 + upTo(random, 9), backward, backward / (1 + upTo(random, 3))});
            }
        }
    }
    made.profile.layers.back().outputBytes = made.profile.layers.back().outputGradientBytes = 0;
    for (int device = 0; device < devices; ++device) {
        const std::string id = "g" + std::to_string(device);
        made.cluster.devices.push_back(
            {id, "s" + std::to_string(device / 2), "", 1000, random() % 4 ? 1.0 : 0.5, 8});
        for (int other = 0; other < device; ++other)
            made.cluster.links.push_back(
                {"g" + std::to_string(other), id, 1.0 + upTo(random, 20), random() % 3 ? 0 : 0.25, ""});
    }
    made.setup.microbatches = 1 + upTo(random, 7);
    made.setup.channel = static_cast<ChannelMode>(random() % 3);
    made.setup.optimizer = static_cast<model::Optimizer>(random() % 3);
    made.setup.allreduceOverlaps = random() % 3 != 0;
    return made;
}

/// Devices of two types on which the layers were measured, at sizes of their own, and of one by its speed;
/// some layers were not measured, some on two ranks too.
inline stagecraft::model::Problem onUnlikeGpus(std::mt19937& random, stagecraft::model::Problem problem) {
    using namespace stagecraft;
    constexpr const char* types[] = {"", "A100-SXM4-40GB", "Tesla V100-SXM2-16GB"};
    for (Device& device : problem.cluster.devices) device.gpu = types[random() % 3];
    for (const char* gpu : {"A100-40", "V100"}) {
        const bool isSized = random() % 2;
        for (Layer& layer : problem.profile.layers) {
            if (random() % 5 == 0) continue;
            for (const int size : {problem.profile.microbatchSize, 5}) {
                const double backward = 1.0 + upTo(random, 9);
                const LayerTimes times{1.0 + upTo(random, 9), backward, backward / (1 + upTo(random, 3))};
                if (size == problem.profile.microbatchSize || isSized)
                    layer.onRanks.push_back(
                        {.tensor = 1, .microbatchSize = size, .times = times, .gpu = gpu});
                if (random() % 4 == 0 && layer.expertParameterBytes == 0)
                    layer.onRanks.push_back(
                        {.tensor = 2, .microbatchSize = size, .times = times, .gpu = gpu});
            }
        }
    }
    for (Layer& layer : problem.profile.layers) std::ranges::stable_sort(layer.onRanks, {}, keyOf);
    return problem;
}

/// The problem under a precision, a ZeRO stage, whole samples and overheads, or some of these.
inline stagecraft::model::Problem underSetupOfToday(std::mt19937& random,
                                                    stagecraft::model::Problem problem) {
    using namespace stagecraft;
    problem.profile.elementBytes = 2;
    problem.setup.precision = static_cast<StatePrecision>(random() % 3);
    problem.setup.gradients = static_cast<GradientPrecision>(random() % 2);
    problem.setup.zero = static_cast<ZeroStage>(random() % 4);
    problem.setup.wholeSamples = random() % 2 == 0;
    if (random() % 2) problem.setup.passOverheadS = 0.25 * upTo(random, 4);
    if (random() % 2) problem.setup.transferOverheadS = 0.25 * upTo(random, 4);
    if (random() % 2) problem.setup.reservedBytes = upTo(random, 20);
    if (random() % 2) problem.setup.insideOverlap = 0.25 * upTo(random, 4);
    if (random() % 2) problem.setup.zeroOverlap = 0.25 * upTo(random, 4);
    if (random() % 2) problem.setup.collectiveStartS = 0.25 * upTo(random, 4);
    if (problem.setup.mode == TrainingMode::synchronous && random() % 2) {
        problem.setup.updateBytesPerS = upTo(random, 40);
        const bool isHeld = problem.setup.zero < ZeroStage::gradients;
        problem.setup.gradientPasses = static_cast<GradientPasses>(random() % (isHeld ? 3 : 2));
    }
    if (random() % 2) problem.setup.expertImbalance = 1 + 0.25 * upTo(random, 8);
    for (Layer& layer : problem.profile.layers) {
        const double scores = 0.25 * upTo(random, 4) * layer.storedActivationBytes;
        layer.storedParts = {{ActivationCause::scores, scores},
                             {ActivationCause::mlp, layer.storedActivationBytes - scores}};
        layer.scoresRecomputeS = 0.25 * upTo(random, 2) * layer.forwardS;
    }
    return problem;
}

/// Some of the layers that are kept are recomputed by themselves, as a whole or but for what is not scores.
inline void recomputeByThemselves(std::mt19937& random, const stagecraft::model::Problem& problem,
                                  stagecraft::model::Plan& plan) {
    using namespace stagecraft;
    for (int layer = 0; layer < problem.profile.layerCount(); ++layer)
        if (plan.layerMemory(layer) == LayerMemory::keep && random() % 2)
            plan.memory.layers[layer] = random() % 2 ? LayerMemory::selective : LayerMemory::checkpoint;
}

/// Stages of random lengths on random sets of devices, one stage per device, under a random policy; some
/// layers recomputed or swapped; the backward split at times.
inline stagecraft::model::Plan plan(std::mt19937& random, const stagecraft::model::Problem& problem,
                                    int mostReplicas = 3) {
    using namespace stagecraft;
    const int layers = problem.profile.layerCount(), devices = problem.cluster.deviceCount();
    const int stages = 1 + upTo(random, std::min(layers, devices) - 1);
    std::vector<int> cuts(static_cast<std::size_t>(layers - 1)), order(static_cast<std::size_t>(devices));
    std::iota(cuts.begin(), cuts.end(), 1);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(cuts.begin(), cuts.end(), random);
    std::shuffle(order.begin(), order.end(), random);
    cuts.resize(static_cast<std::size_t>(stages - 1));
    std::sort(cuts.begin(), cuts.end());
    cuts.insert(cuts.begin(), 0);
    cuts.push_back(layers);
    Plan made;
    int next = 0;
    for (int stage = 0; stage < stages; ++stage) {
        const int spare = devices - next - (stages - stage - 1);
        const int replicas = 1 + upTo(random, std::min(spare - 1, mostReplicas - 1));
        Stage one{cuts[static_cast<std::size_t>(stage)], cuts[static_cast<std::size_t>(stage) + 1] - 1, {}};
        for (int replica = 0; replica < replicas; ++replica)
            one.devices.push_back(order[static_cast<std::size_t>(next++)]);
        made.stages.push_back(one);
    }
    std::vector<const ScheduleFamily*> families;  // that have one stage on a device
    for (const ScheduleFamily& family : scheduleFamilies())
        // Evictions are refused beside swaps and without a barrier, and shares of a vocabulary where there is
        // none; pairs are two passes in a block. They have tests of their own.
        if (!family.evicts && family.backward != BackwardTasks::whole && !sharesVocabulary(family) &&
            (family.placement == Placement::onePerRank || family.placement == Placement::ring))
            families.push_back(&family);
    const ScheduleFamily& family = *families[random() % families.size()];
    made.schedule.order = FamilySchedule{family.id, {}};
    made.schedule.splitBackward = family.backward == BackwardTasks::split || random() % 4 == 0;
    for (int layer = 0; layer < layers; ++layer)
        if (random() % 5 == 0)
            made.memory.layers[layer] = random() % 2 ? LayerMemory::recompute : LayerMemory::swap;
    return made;
}

/// How groups divide each layer, and degrees that they may have: anything up to 12 comes out even.
inline void makeDivisible(std::mt19937& random, stagecraft::model::LayerProfile& profile) {
    using namespace stagecraft;
    profile.divisible = {27720, 27720, 27720};
    const auto share = [&] { return 0.25 * upTo(random, 4); };
    for (Layer& layer : profile.layers) {
        if (layer.storedParts.empty())
            layer.storedParts = {{ActivationCause::scores, 0.25 * layer.storedActivationBytes},
                                 {ActivationCause::mlp, 0.75 * layer.storedActivationBytes}};
        layer.expertParameterBytes = share() * layer.parameterBytes;
        LayerDivision division{share(), share(), share(), share(), share()};
        // The rest of each number, in halves.
        const auto half = [](double divided) { return (1 - divided) / 2; };
        if (random() % 2) {
            division.fixedForwardShare = half(division.forwardShare);
            division.fixedBackwardShare = half(division.backwardShare);
            division.fixedWeightGradientShare = half(division.weightGradientShare);
        }
        if (random() % 2) {
            division.expertForwardShare = half(division.forwardShare);
            division.expertBackwardShare = half(division.backwardShare);
            division.expertWeightGradientShare = half(division.weightGradientShare);
            division.expertWeightGradientBytesShare = half(division.weightGradientBytesShare);
        }
        for (const StoredPart& part : layer.storedParts)
            if (random() % 3) division.stored.push_back({part.cause, share() * part.bytes});
        for (double* bytes :
             {&division.entryBytes, &division.exitBytes, &division.keyValueBytes, &division.routedBytes})
            *bytes = 1.0 * upTo(random, 20);
        for (double* count :
             {&division.entries, &division.exits, &division.keyValueRounds, &division.routings})
            *count = static_cast<double>(random() % 3);
        double undivided = storedBytes(layer, ActivationCause::mlp);
        for (const StoredPart& part : division.stored)
            if (part.cause == ActivationCause::mlp) undivided -= part.bytes;
        division.expertStoredBytes = share() * undivided;
        layer.division = division;
    }
}

/// A random group for each stage, that its devices make up.
inline void divideStages(std::mt19937& random, stagecraft::model::Plan& plan) {
    using namespace stagecraft;
    const auto divisor = [&](int number) {
        std::vector<int> divisors;
        for (int each = 1; each <= number; ++each)
            if (number % each == 0) divisors.push_back(each);
        return divisors[random() % divisors.size()];
    };
    for (Stage& stage : plan.stages) {
        const int ranks = static_cast<int>(stage.devices.size());
        stage.group.tensor = divisor(ranks);
        stage.group.context = divisor(ranks / stage.group.tensor);
        stage.group.expert = divisor(ranks);
        stage.group.sequenceParallel = stage.group.tensor > 1 && random() % 2;
    }
}

/// Layers that were measured on the ranks of a group, beside others on which they were too. Some say no more
/// how they are divided.
inline void measureOn(std::mt19937& random, const stagecraft::model::Group& group,
                      stagecraft::model::LayerProfile& profile, int first, int last) {
    using namespace stagecraft;
    for (int index = first; index <= last; ++index) {
        Layer& layer = profile.layers[static_cast<std::size_t>(index)];
        const bool isMeasured =
            std::ranges::any_of(layer.onRanks, [](const RankMeasurement& each) { return each.gpu.empty(); });
        if (isMeasured || random() % 5 == 0) continue;
        layer.expertParameterBytes = 0;
        const bool timed = random() % 4;
        for (const int degree : {group.tensor, group.tensor + 1})
            for (int size = 1 + upTo(random, 2); size < 12; size += 1 + upTo(random, 8)) {
                RankMeasurement measured{
                    .tensor = degree, .sequenceParallel = group.sequenceParallel, .microbatchSize = size};
                const double backward = 0.5 * upTo(random, 8);
                if (timed) measured.times = LayerTimes{0.5 * upTo(random, 8), backward, backward / 4};
                if (random() % 2) measured.parameterBytes = 0.5 * upTo(random, 8);
                if (random() % 2) measured.storedActivationBytes = 0.5 * upTo(random, 8);
                if (timed || measured.parameterBytes || measured.storedActivationBytes)
                    layer.onRanks.push_back(measured);
            }
        std::ranges::stable_sort(layer.onRanks, {}, keyOf);
        if (timed && random() % 2) layer.division.reset();
    }
}

/// Where the stages' groups divide by tensor parallelism alone.
inline void measureStages(std::mt19937& random, const stagecraft::model::Plan& plan,
                          stagecraft::model::LayerProfile& profile) {
    for (const stagecraft::model::Stage& stage : plan.stages)
        if (stage.group.tensor > 1 && stage.group.context == 1 && stage.group.expert == 1)
            measureOn(random, stage.group, profile, stage.firstLayer, stage.lastLayer);
}

/// Replicas take microbatches in turn, in the stages that `chosen` says, where the plan's schedule has orders
/// for that.
template <typename Chosen>
void takeTurns(stagecraft::model::Plan& plan, Chosen chosen) {
    const auto* policy = std::get_if<stagecraft::model::FamilySchedule>(&plan.schedule.order);
    const auto* family = policy ? stagecraft::schedules::findScheduleFamily(policy->name) : nullptr;
    if (family && family->deviceOrders) return;
    for (stagecraft::model::Stage& stage : plan.stages)
        if (chosen()) stage.replication = stagecraft::model::Replication::roundRobin;
}
inline void takeTurns(stagecraft::model::Plan& plan) {
    takeTurns(plan, [] { return true; });
}

}  // namespace random_problem
