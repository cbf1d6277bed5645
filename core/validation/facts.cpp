#include "core/validation/facts.h"

#include "core/base/indices.h"
#include "core/validation/group_parts.h"
#include "core/validation/layer_work.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace stagecraft::validation {

namespace {

/// The outputs that a layer reads, each once.
double comesIn(const LayerProfile& profile, int layer) {
    std::set<int> read;
    for (const LayerEdge& edge : profile.dependencies())
        if (edge.to == layer) read.insert(edge.from);
    double bytes = 0;
    for (const int from : read) bytes += profile.layers[at(from)].outputBytes;
    return bytes;
}

/// PARALLELISM.md, "Bytes per parameter": bytes of a parameter, of which the profile's have `element`.
struct ParameterBytes {
    double weights, sent, gradients, master, moments;

    explicit ParameterBytes(const Problem& problem) {
        const double element = problem.profile.elementBytes.value_or(2);
        const bool mixed = problem.setup.precision != StatePrecision::uniform;
        const double low = mixed ? 2 : element, high = mixed ? 4 : element;
        weights = low + (problem.setup.precision == StatePrecision::fp8 ? 1 : 0);
        sent = low;
        gradients = problem.setup.gradients == GradientPrecision::single ? high : low;
        master = mixed ? 4 : 0;
        moments = high * optimizerStateFactor(problem.setup.optimizer);
        for (double* bytes : {&weights, &sent, &gradients, &master, &moments}) *bytes /= element;
    }
};

/// What the layers of a stage take of computing, in each kind of pass on the type of device that is slowest.
Durations computedOn(const Problem& problem, const Plan& plan, const Stage& stage, const StageWork& work) {
    Durations slowest;
    double input = 0;
    for (std::size_t type = 0; type < work.types(); ++type) {
        Durations sums;
        for (int i = stage.firstLayer; i <= stage.lastLayer; ++i) {
            if (isSharedOut(problem, plan, i)) continue;
            const LayerWork own = work.of(i, type);
            sums.forward += own.forward;
            sums.backward += own.backward;
            sums.weightGradient += own.weightGradient;
            sums.recompute += own.recompute;
        }
        slowest.forward = std::max(slowest.forward, sums.forward);
        slowest.backward = std::max(slowest.backward, sums.backward);
        slowest.weightGradient = std::max(slowest.weightGradient, sums.weightGradient);
        slowest.recompute = std::max(slowest.recompute, sums.recompute);
        input = std::max(input, sums.backward - sums.weightGradient);
    }
    if (plan.schedule.splits() && work.types() > 1) slowest.backward = input + slowest.weightGradient;
    return slowest;
}

Durations durationsOn(const Problem& problem, const Plan& plan, const Stage& stage,
                      const std::vector<int>& workers, int slices, const Network& network) {
    const StageWork work(problem, plan, stage, workers, slices, network);
    double slowestHost = std::numeric_limits<double>::infinity();
    for (const int device : workers)
        slowestHost = std::min(slowestHost, problem.cluster.devices[at(device)].hostBandwidthBps);
    Durations sums = computedOn(problem, plan, stage, work), sent;
    double toExperts = 0;
    for (int i = stage.firstLayer; i <= stage.lastLayer; ++i) {
        if (isSharedOut(problem, plan, i)) continue;
        const LayerWork own = work.of(i);
        sent.forward += own.sends.forward();
        sent.backward += own.sends.backward();
        toExperts += own.sends.experts.forward;
        if (own.isComputedAgain) sent.recompute += own.sends.forward();
        if (plan.layerMemory(i) == LayerMemory::swap) sums.swap += own.storedBytes;
    }
    // Of each second that is sent, what no computing hides.
    const auto bare = [&](double sentSeconds, double computed) {
        const double hidden = std::min(problem.setup.insideOverlap * sentSeconds, computed);
        return sentSeconds > 0 ? (sentSeconds - hidden) / sentSeconds : 0;
    };
    const double forward = sums.bareForward = bare(sent.forward, sums.forward),
                 backward = sums.bareBackward =
                     bare(sent.backward, sums.backward - (plan.schedule.splits() ? sums.weightGradient : 0)),
                 again = sums.bareRecompute = bare(sent.recompute, sums.recompute);
    sums.sentForward = sent.forward * forward;
    sums.sentBackward = sent.backward * backward;
    sums.expertsForward = toExperts * forward;
    sums.expertsBackward = toExperts * backward;
    sums.forward += sums.sentForward;
    sums.backward += sums.sentBackward;
    sums.sentRecompute = sent.recompute * again;
    sums.recompute += sums.sentRecompute;
    if (sums.swap > 0) sums.swap *= work.part() / (slowestHost * slices);
    return sums;
}

}  // namespace

namespace {

/// The families in which some backwards are one block and some are two.
bool mixes(const std::string& family) { return family == "dualpipe" || family == "dualpipe-v"; }

template <typename Names>
bool anyTask(const ExplicitSchedule& schedule, Names names) {
    for (const auto& [device, order] : schedule.orders)
        if (std::any_of(order.begin(), order.end(), names)) return true;
    return false;
}

bool namesPart(const Schedule& schedule) {
    if (const auto* spelled = std::get_if<ExplicitSchedule>(&schedule.order))
        return anyTask(*spelled, [](const Task& task) {
            return task.kind == TaskKind::inputGradient || task.kind == TaskKind::weightGradient;
        });
    return std::holds_alternative<FamilySchedule>(schedule.order) && schedule.splitBackward;
}

bool namesWhole(const Schedule& schedule) {
    if (const auto* spelled = std::get_if<ExplicitSchedule>(&schedule.order))
        return anyTask(*spelled, [](const Task& task) { return task.kind == TaskKind::backward; });
    const auto* policy = std::get_if<FamilySchedule>(&schedule.order);
    return !policy || !schedule.splitBackward || mixes(policy->name);
}

/// How many slices of a sequence the plan speaks of.
int slicesOf(const Schedule& schedule) {
    int most = 1;
    if (const auto* spelled = std::get_if<ExplicitSchedule>(&schedule.order))
        for (const auto& [device, order] : spelled->orders)
            for (const Task& task : order) most = std::max(most, task.slice + 1);
    if (const auto* policy = std::get_if<FamilySchedule>(&schedule.order);
        policy && policy->name == "seq1f1b")
        if (const auto set = policy->parameters.find("slices"); set != policy->parameters.end())
            most = std::max(1, static_cast<int>(std::clamp(set->second, 1.0, 1024.0)));
    return most;
}

}  // namespace

std::vector<int> StageFacts::workers(int replica) const {
    return roundRobin ? std::vector<int>{devices[at(replica)]} : devices;
}

Facts::Facts(const Problem& problem, const Plan& plan)
    : microbatches(problem.setup.microbatches),
      pipelines(plan.pipelineCount()),
      slices(slicesOf(plan.schedule)),
      splitBackward(namesPart(plan.schedule)),
      wholeBackward(namesWhole(plan.schedule)),
      periodic(std::holds_alternative<PeriodicSchedule>(plan.schedule.order)),
      fullDuplex(problem.setup.channel == ChannelMode::fullDuplex && !periodic),
      wholeSamplesOf(problem.setup.wholeSamples ? problem.profile.microbatchSize : 0),
      zero(problem.setup.zero) {
    const Network network(problem.cluster);
    addStages(problem, plan, network);
    addVocabulary(problem, plan, network);
    addStates(problem, plan);
    addEdges(problem, plan, network);
    addGroups(problem, plan, network);
    addGradientPasses(problem);
    hideSyncs(problem.setup);
    addEvictions(problem, plan, network);
}

int Facts::passesOf(int stage) const {
    return (microbatches - stages[at(stage)].pipeline + pipelines - 1) / pipelines * slices;
}

int Facts::microbatchOf(int stage, int ordinal) const {
    return ordinal / slices * pipelines + stages[at(stage)].pipeline;
}

int Facts::replicaOf(int stage, int iteration, int ordinal) const {
    const auto number = static_cast<std::int64_t>(iteration) * passesOf(stage) + ordinal;
    return static_cast<int>(number / slices % stages[at(stage)].replicaCount());
}

const Channel& Facts::channelOf(int edge, int iteration, int ordinal) const {
    const EdgeFacts& facts = edges[at(edge)];
    const int from = replicaOf(facts.from, iteration, ordinal), to = replicaOf(facts.to, iteration, ordinal);
    return facts.channels[at(from * stages[at(facts.to)].replicaCount() + to)];
}

double Facts::shareOf(const StageFacts& stage) const {
    if (stage.roundRobin) return 1;
    const int replicas = stage.copies();
    if (wholeSamplesOf == 0) return replicas;
    return double(wholeSamplesOf) / ((wholeSamplesOf + replicas - 1) / replicas);
}

/// What all who hold a layer share out, each has its part of: layer by layer.
void Facts::addStates(const Problem& problem, const Plan& plan) {
    const ParameterBytes bytes(problem);
    std::vector<std::set<int>> holders(problem.profile.layers.size());
    for (const Stage& stage : plan.stages)
        for (int i = stage.firstLayer; i <= stage.lastLayer; ++i)
            holders[at(i)].insert(stage.devices.begin(), stage.devices.end());
    for (std::size_t s = 0; s < stages.size(); ++s) {
        StageFacts& facts = stages[s];
        double largest = 0, before = 0, shared = 0;
        for (int i = plan.stages[s].firstLayer; i <= plan.stages[s].lastLayer; ++i) {
            if (isSharedOut(problem, plan, i)) continue;
            const Group& group = facts.group;
            const RankPart own(problem.profile.layers[at(i)], group, problem.profile.microbatchSize,
                               problem.setup.expertImbalance);
            // Of the holders every tensor-th has the same dense parameters, every expert-th the same experts.
            const auto count = static_cast<double>(holders[at(i)].size());
            shared += (own.denseParameters * group.tensor + own.expertParameters * group.expert) / count;
            // Where passes hide it, the neighbour's comes or goes meanwhile.
            const bool withNeighbour = problem.setup.zeroOverlap > 0;
            largest = std::max(largest, own.parameters() + (withNeighbour ? before : 0));
            before = own.parameters();
        }
        // Each word is on one device of each copy of the network.
        shared +=
            (vocabulary.headBytes + vocabulary.embeddingBytes) / static_cast<double>(facts.devices.size());
        const double whole = facts.parameterBytes;
        facts.versionBytes = bytes.weights * (zero >= ZeroStage::weights ? shared : whole);
        facts.besidesBytes = bytes.gradients * (zero >= ZeroStage::gradients ? shared : whole) +
                             (bytes.master + bytes.moments) * (zero >= ZeroStage::optimizer ? shared : whole);
        if (problem.setup.updateBytesPerS > 0 && problem.setup.mode == TrainingMode::synchronous) {
            // Read: gradients, moments, and the weights that are changed, master weights where there are
            // any. Written: these two, and with master weights those that are computed with.
            const double mine = zero == ZeroStage::off ? whole : shared;
            const double changed = bytes.moments + (bytes.master > 0 ? bytes.master : bytes.weights);
            const double made = bytes.master > 0 ? bytes.weights : 0;
            // For the norm they are read, and to be clipped read and written.
            const double clipped = problem.setup.gradientPasses == GradientPasses::none ? 0 : 3;
            facts.updateS = mine * (bytes.gradients + clipped * bytes.gradients + changed + changed + made) /
                            problem.setup.updateBytesPerS;
        }
        const double others = whole > 0 ? 1 - shared / whole : 0;
        if (zero >= ZeroStage::weights) facts.gatheredBytes = others * bytes.sent * largest;
        if (zero >= ZeroStage::gradients) facts.gradientBytes = others * bytes.gradients * largest;
    }
}

/// Megatron-LM writes zeros, reads to find what is no number and, where others' are added, reads and writes
/// to divide by how many they are.
void Facts::addGradientPasses(const Problem& problem) {
    const TrainingSetup& setup = problem.setup;
    if (!(setup.updateBytesPerS > 0) || setup.mode != TrainingMode::synchronous) return;
    clipsByNorm = setup.gradientPasses != GradientPasses::none;
    passesOverGradients = setup.gradientPasses == GradientPasses::megatron;
    if (!passesOverGradients) return;
    const double eachByte = ParameterBytes(problem).gradients / setup.updateBytesPerS;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const int times = groupOf[s] < 0 ? 1 + 1 : 1 + 1 + 2;
        stages[s].gradientPassS = times * stages[s].parameterBytes * eachByte;
    }
}

void Facts::addStages(const Problem& problem, const Plan& plan, const Network& network) {
    std::vector<int> counts(at(pipelines), 0);
    for (const Stage& stage : plan.stages) ++counts[at(stage.pipeline)];
    std::vector<int> positions(at(pipelines), 0);
    for (const Stage& stage : plan.stages) {
        StageFacts facts;
        facts.pipeline = stage.pipeline;
        facts.position = positions[at(stage.pipeline)]++;
        facts.pipelineStages = counts[at(stage.pipeline)];
        facts.roundRobin = stage.replication == Replication::roundRobin;
        facts.devices = stage.devices;
        facts.group = stage.group;
        if (!facts.roundRobin) std::sort(facts.devices.begin(), facts.devices.end());
        const int replicaCount = facts.roundRobin ? static_cast<int>(facts.devices.size()) : 1;
        for (int replica = 0; replica < replicaCount; ++replica)
            facts.replicas.push_back(
                durationsOn(problem, plan, stage, facts.workers(replica), slices, network));
        for (Durations& each : facts.replicas) {
            each.forward += problem.setup.passOverheadS;
            each.backward += problem.setup.passOverheadS * (splitBackward ? 2 : 1);
            each.weightGradient += problem.setup.passOverheadS;
            if (each.recompute > 0) each.recompute += problem.setup.passOverheadS;
        }
        addLayers(problem, plan, stage, facts);
        stages.push_back(std::move(facts));
    }
}

/// What its layers keep, and what of them comes back.
void Facts::addLayers(const Problem& problem, const Plan& plan, const Stage& stage, StageFacts& facts) const {
    const double parts = shareOf(facts) * slices;
    double largestBack = 0;  // of layers that come back one by one
    for (int i = stage.firstLayer; i <= stage.lastLayer; ++i) {
        const RankPart own(problem.profile.layers[at(i)], stage.group, problem.profile.microbatchSize,
                           problem.setup.expertImbalance);
        const LayerMemory memory = plan.layerMemory(i);
        if (isSharedOut(problem, plan, i)) continue;
        facts.parameterBytes += own.parameters();
        facts.recomputes = facts.recomputes || (memory != LayerMemory::keep && memory != LayerMemory::swap);
        double stays = memory == LayerMemory::keep ? own.stored : 0;
        if (memory == LayerMemory::checkpoint)
            stays = std::min(comesIn(problem.profile, i) / passedOnParts(stage.group), own.stored);
        if (memory == LayerMemory::selective) stays = own.stored - own.scores;
        facts.keptBytes += stays / parts;
        if (memory == LayerMemory::swap) facts.swappedBytes += own.stored / parts;
        if (memory == LayerMemory::recompute) {
            facts.fromInput = facts.fromInput || own.stored > 0;
            facts.recomputedBytes += own.stored / parts;
        }
        if (memory == LayerMemory::selective || memory == LayerMemory::checkpoint)
            largestBack = std::max(largestBack, (own.stored - stays) / parts);
        facts.deferredBytes += own.deferred / parts;
    }
    facts.recomputedBytes += largestBack;
    facts.swaps = facts.swappedBytes > 0;
}

void Facts::addEdges(const Problem& problem, const Plan& plan, const Network& network) {
    // For each pipeline copy: which stage holds a layer.
    std::vector<std::vector<int>> holder(at(pipelines), std::vector<int>(problem.profile.layers.size(), -1));
    for (int s = 0; s < plan.stageCount(); ++s)
        for (int i = plan.stages[at(s)].firstLayer; i <= plan.stages[at(s)].lastLayer; ++i)
            holder[at(plan.stages[at(s)].pipeline)][at(i)] = s;

    // Each tensor goes once to each stage that reads it.
    std::map<std::pair<int, int>, std::set<int>> producers;
    for (const LayerEdge& edge : problem.profile.dependencies())
        for (const std::vector<int>& stageOf : holder)
            if (stageOf[at(edge.from)] != stageOf[at(edge.to)])
                producers[{stageOf[at(edge.from)], stageOf[at(edge.to)]}].insert(edge.from);

    for (const auto& [ends, layers] : producers) {
        EdgeFacts edge;
        edge.from = ends.first;
        edge.to = ends.second;
        for (int i : layers) {
            edge.forwardBytes += problem.profile.layers[at(i)].outputBytes;
            edge.backwardBytes += problem.profile.layers[at(i)].outputGradientBytes;
        }
        StageFacts &from = stages[at(edge.from)], &to = stages[at(edge.to)];
        std::vector<int> senders = from.devices, receivers = to.devices;
        std::sort(senders.begin(), senders.end());
        std::sort(receivers.begin(), receivers.end());
        edge.transfers = senders != receivers;
        for (int a = 0; a < from.replicaCount(); ++a)
            for (int b = 0; b < to.replicaCount(); ++b) {
                Channel channel{from.workers(a), to.workers(b)};
                // SPP III-B, with min b as a divisor (E-SPP-1). Ranks of a group send their parts side by
                // side, of which the larger count.
                const auto copiesOf = [](const StageFacts& end, const std::vector<int>& working) {
                    return static_cast<double>(working.size()) / (end.group.tensor * end.group.context);
                };
                const double rate = network.narrowest(channel.from, channel.to) *
                                    copiesOf(from, channel.from) * copiesOf(to, channel.to) *
                                    std::min(passedOnParts(from.group), passedOnParts(to.group));
                const double latency =
                    network.slowest(channel.from, channel.to) + problem.setup.transferOverheadS;
                channel.forwardS = edge.forwardBytes / slices / rate + latency;
                channel.backwardS = edge.backwardBytes / slices / rate + latency;
                edge.channels.push_back(std::move(channel));
            }
        const int number = static_cast<int>(edges.size());
        from.outgoing.push_back(number);
        to.incoming.push_back(number);
        to.inputBytes += edge.forwardBytes / (shareOf(to) * slices * passedOnParts(to.group));
        edges.push_back(std::move(edge));
    }
}

namespace {

/// Which of some stages hold each layer.
std::map<int, std::vector<int>> stagesByLayer(const Plan& plan, const std::vector<int>& among) {
    std::map<int, std::vector<int>> holding;
    for (const int s : among)
        for (int i = plan.stages[at(s)].firstLayer; i <= plan.stages[at(s)].lastLayer; ++i)
            holding[i].push_back(s);
    return holding;
}

/// What the holders of the same parameters take, on the device that is busy for longest: it takes part in one
/// after the other. @param perByte bytes that are sent for each of the parameters
template <typename Takes>
double longestS(const std::map<std::vector<int>, double>& bytesByHolders, double perByte,
                const Network& network, double start, Takes takes) {
    std::map<int, double> busy;
    double longest = 0;
    for (const auto& [devices, bytes] : bytesByHolders) {
        if (devices.size() < 2 || bytes == 0) continue;
        const double taken = takes(perByte * bytes, devices, network, start);
        for (int device : devices) longest = std::max(longest, busy[device] += taken);
    }
    return longest;
}

}  // namespace

/// A pass hides as much of what it sends as the setup says, and no longer than it computes, whichever of its
/// copies computes least. A backward in one block hides weights and gradients alike.
void Facts::hideSyncs(const TrainingSetup& setup) {
    if (zero < ZeroStage::gradients || setup.zeroOverlap == 0) return;
    const auto left = [&](double sent, double computed) {
        return sent > 0 ? (sent - std::min(setup.zeroOverlap * sent, computed)) / sent : 1;
    };
    for (GroupFacts& group : groups) {
        const double gather = zero == ZeroStage::weights ? group.gatherS : 0;
        const bool split = splitBackward;
        const double besides = setup.passOverheadS;
        double most = 0;
        for (const int s : group.stages) {
            double forward = infinity, backward = infinity;
            for (const Durations& each : stages[at(s)].replicas) {
                forward = std::min(forward, each.forward - each.sentForward - besides);
                double computed = each.backward - each.sentBackward - besides;
                if (split) computed -= each.weightGradient;
                if (each.recompute > 0) computed += each.recompute - each.sentRecompute - besides;
                backward = std::min(backward, computed);
            }
            const double ofBackward = left(split ? gather : gather + group.scatterS, backward);
            group.gatherParts[s] = {left(gather, forward), ofBackward};
            most = std::max(most, ofBackward);
        }
        if (!split) group.scatterPart = most;
    }
}

double GroupFacts::gatherPart(int stage, bool backward) const {
    const auto parts = gatherParts.find(stage);
    return parts == gatherParts.end() ? 1 : parts->second[backward ? 1 : 0];
}

void Facts::addGroups(const Problem& problem, const Plan& plan, const Network& network) {
    // Stages by first layer: one that begins before the furthest end so far shares a layer with its
    // forerunners.
    std::vector<int> byFirst(plan.stages.size());
    std::iota(byFirst.begin(), byFirst.end(), 0);
    std::stable_sort(byFirst.begin(), byFirst.end(), [&](int a, int b) {
        return plan.stages[at(a)].firstLayer < plan.stages[at(b)].firstLayer;
    });
    groupOf.assign(plan.stages.size(), -1);
    std::vector<GroupFacts> candidates;
    int furthest = -1;
    for (int s : byFirst) {
        if (plan.stages[at(s)].firstLayer > furthest) candidates.emplace_back();
        furthest = std::max(furthest, plan.stages[at(s)].lastLayer);
        candidates.back().stages.push_back(s);
    }
    for (GroupFacts& group : candidates) {
        std::sort(group.stages.begin(), group.stages.end());
        std::map<std::vector<int>, double> bytesByHolders;
        // Copies sum up the gradients of the words that they have in common.
        if (const double words = vocabulary.headBytes + vocabulary.embeddingBytes; words > 0)
            bytesByHolders[sorted(plan.stages[at(group.stages.front())].devices)] += words;
        for (const auto& [layer, holding] : stagesByLayer(plan, group.stages)) {
            if (isSharedOut(problem, plan, layer)) continue;
            const RankPart own(problem.profile.layers[at(layer)], plan.stages[at(holding.front())].group,
                               problem.profile.microbatchSize, problem.setup.expertImbalance);
            for (const bool experts : {false, true}) {
                const double bytes = experts ? own.expertParameters : own.denseParameters;
                if (experts && bytes == 0) continue;
                std::map<std::size_t, std::set<int>> holders;
                for (const int s : holding) {
                    const std::vector<std::vector<int>> lists =
                        experts ? sameExperts(plan.stages[at(s)]) : sameDense(plan.stages[at(s)]);
                    for (std::size_t list = 0; list < lists.size(); ++list)
                        holders[list].insert(lists[list].begin(), lists[list].end());
                }
                for (const auto& [list, devices] : holders)
                    bytesByHolders[{devices.begin(), devices.end()}] += bytes;
            }
        }
        // Eq. (1) of SPP for each set of holders; a device takes part in one after the other.
        const ParameterBytes bytes(problem);
        const double start = problem.setup.collectiveStartS;
        const bool shared =
            std::ranges::any_of(bytesByHolders, [](const auto& each) { return each.first.size() > 1; });
        if (zero == ZeroStage::off) {
            group.allReduceS = longestS(bytesByHolders, bytes.gradients, network, start, summingUpS);
        } else {
            group.scatterS = longestS(bytesByHolders, bytes.gradients, network, start, handingOutS);
            group.gatherS = longestS(bytesByHolders, bytes.sent, network, start, handingOutS);
        }
        group.bytesByHolders = std::move(bytesByHolders);
        group.gradientBytes = bytes.gradients;
        group.sentBytes = bytes.sent;
        if (shared) groups.push_back(std::move(group));
    }
    std::sort(groups.begin(), groups.end(),
              [](const GroupFacts& a, const GroupFacts& b) { return a.stages.front() < b.stages.front(); });
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (int s : groups[g].stages) groupOf[at(s)] = static_cast<int>(g);
}

double VocabularyFacts::secondsOf(BlockKind kind) const {
    switch (kind) {
        case BlockKind::headInput:
            return headInputS;
        case BlockKind::headBarrier:
            return headBarrierS;
        case BlockKind::headGradient:
            return headGradientS;
        case BlockKind::embeddingOutput:
            return embeddingOutputS;
        case BlockKind::embeddingReturn:
            return embeddingReturnS;
        default:
            return 0;
    }
}

/// Yeung et al.: a device has as many words as any other, its passes take as long as its speed
/// says. Alg. 2 has computed the gradient of the head's input by the end of S.
void Facts::addVocabulary(const Problem& problem, const Plan& plan, const Network& network) {
    vocabulary.passes = plan.schedule.vocabulary();
    if (!vocabulary.isShared()) return;
    const std::vector<Layer>& layers = problem.profile.layers;
    const Layer &head = layers.back(), &first = layers.front(), &before = layers[layers.size() - 2];
    const bool early = vocabulary.passes == VocabularyPasses::oneBarrier;
    vocabulary.hasEmbedding = first.vocabulary == VocabularyLayer::embedding;
    const auto count = static_cast<double>(stages.size());
    const std::size_t copies = plan.stages.front().devices.size();
    const double part = largestPart(problem, copies), samples = problem.profile.microbatchSize * part;
    const auto timesIn = [&](int layer, const DeviceType& type) {
        const LayerProfile& on = *type.profile;
        const LayerTimes times =
            timesOf(on, layer, samples, RankPart(on.layers[at(layer)], {}, on.microbatchSize, 1));
        const double rate = count * type.speed;
        return LayerTimes{times.forwardS / rate, times.backwardS / rate, times.weightGradientS / rate};
    };
    vocabulary.headBytes = head.parameterBytes / count;
    if (vocabulary.hasEmbedding) vocabulary.embeddingBytes = first.parameterBytes / count;
    for (StageFacts& stage : stages) {
        double inS = 0, inT = 0, forwardS = 0, backwardS = 0;
        for (const DeviceType& type : typesAmong(problem, stage.devices)) {
            const LayerTimes ofHead = timesIn(problem.profile.layerCount() - 1, type),
                             ofFirst = timesIn(0, type);
            const double inputS = ofHead.backwardS - ofHead.weightGradientS;
            inS = std::max(inS, ofHead.forwardS + (early ? inputS : 0));
            inT = std::max(inT, early ? ofHead.weightGradientS : ofHead.backwardS);
            forwardS = std::max(forwardS, ofFirst.forwardS);
            backwardS = std::max(backwardS, ofFirst.backwardS);
        }
        const double besides = problem.setup.passOverheadS;
        vocabulary.parts.push_back({inS + besides, inT + besides, forwardS + besides, backwardS + besides});
        vocabulary.devices.insert(vocabulary.devices.end(), stage.devices.begin(), stage.devices.end());
        stage.parameterBytes += vocabulary.headBytes + vocabulary.embeddingBytes;
    }
    std::sort(vocabulary.devices.begin(), vocabulary.devices.end());
    const double broadcast = std::min(before.outputBytes, head.storedActivationBytes);
    vocabulary.heldBytes = part * (broadcast + (head.storedActivationBytes - broadcast) / count);
    for (std::size_t copy = 0; copy < copies && stages.size() > 1; ++copy) {
        std::vector<int> own;
        for (const Stage& stage : plan.stages) own.push_back(stage.devices[copy]);
        addSendsOfWords(problem, own, part, network);
        vocabulary.copies.push_back(sorted(own));
    }
}

/// What a copy's devices send each other; copies do so at once, and the slowest decides.
void Facts::addSendsOfWords(const Problem& problem, const std::vector<int>& own, double part,
                            const Network& network) {
    const std::vector<Layer>& layers = problem.profile.layers;
    const Layer &before = layers[layers.size() - 2], &first = layers.front();
    const auto count = static_cast<double>(own.size());
    const double narrowest = network.narrowest(own, own) / part;
    const double atLeast = network.slowest(own, own) + problem.setup.transferOverheadS;
    const double twice = 2 * (count - 1) / (count * narrowest);
    const double summed = atLeast + twice * before.outputGradientBytes;
    const auto takes = [](double& longest, double seconds) { longest = std::max(longest, seconds); };
    const bool early = vocabulary.passes == VocabularyPasses::oneBarrier;
    const double round = 2 * (count - 1) / count * part, summedUp = round * before.outputGradientBytes;
    vocabulary.sentBytes[BlockKind::headInput] = before.outputBytes * part;
    vocabulary.sentBytes[early ? BlockKind::headBarrier : BlockKind::headGradient] = summedUp;
    takes(vocabulary.headInputS, atLeast + before.outputBytes / narrowest);
    takes(vocabulary.headBarrierS, early ? summed : atLeast);
    if (!early) takes(vocabulary.headGradientS, summed);
    if (!vocabulary.hasEmbedding) return;
    vocabulary.sentBytes[BlockKind::embeddingOutput] = round * first.outputBytes;
    vocabulary.sentBytes[BlockKind::embeddingReturn] = first.outputGradientBytes * part;
    takes(vocabulary.embeddingOutputS, atLeast + twice * first.outputBytes);
    takes(vocabulary.embeddingReturnS, atLeast + first.outputGradientBytes / narrowest);
}

/// An order that is spelled out names what it evicts; in BPipe a stage may that would else have more than
/// (p+2)/2 microbatches, rounded up.
void Facts::addEvictions(const Problem& problem, const Plan& plan, const Network& network) {
    if (const auto* policy = std::get_if<FamilySchedule>(&plan.schedule.order);
        policy && policy->name == "bpipe")
        for (int s = 0; s < plan.stageCount(); ++s) {
            const StageFacts& own = stages[at(s)];
            if (std::min(passesOf(s), own.pipelineStages - own.position) > (own.pipelineStages + 3) / 2)
                addEviction(problem, s, network);
        }
    const auto* spelled = std::get_if<ExplicitSchedule>(&plan.schedule.order);
    if (!spelled) return;
    for (const auto& [device, order] : spelled->orders)
        for (const Task& task : order) {
            if (task.kind != TaskKind::evict || task.stage < 0 || task.stage >= plan.stageCount()) continue;
            EvictionFacts& eviction = stages[at(task.stage)].eviction;
            if (eviction.lender < 0) addEviction(problem, task.stage, network);
            if (!eviction.microbatches) eviction.microbatches.emplace();
            eviction.microbatches->insert(task.microbatch);
        }
}

void Facts::addEviction(const Problem& problem, int stage, const Network& network) {
    StageFacts& own = stages[at(stage)];
    const int position = own.pipelineStages - 1 - own.position;
    for (int other = 0; other < static_cast<int>(stages.size()); ++other)
        if (stages[at(other)].pipeline == own.pipeline && stages[at(other)].position == position)
            own.eviction.lender = other;
    const StageFacts& lender = stages[at(own.eviction.lender)];
    own.eviction.bytesOfEach = own.keptBytes + (own.fromInput ? own.inputBytes : 0);
    const double all = own.eviction.bytesOfEach * static_cast<double>(own.devices.size());
    own.eviction.bytesOfLender = all / static_cast<double>(lender.devices.size());
    Channel& channel = own.eviction.channel;
    channel = {sorted(own.devices), sorted(lender.devices)};
    // Each rank to its counterparts in the lender's copies.
    channel.forwardS = own.eviction.bytesOfEach * own.copies() /
                           (network.narrowest(channel.from, channel.to) *
                            static_cast<double>(own.copies() * lender.copies())) +
                       network.slowest(channel.from, channel.to) + problem.setup.transferOverheadS;
    channel.backwardS = channel.forwardS;
}

std::vector<int> sorted(std::vector<int> values) {
    std::sort(values.begin(), values.end());
    return values;
}

bool isSync(BlockKind kind) {
    return kind == BlockKind::allReduce || kind == BlockKind::reduceScatter || kind == BlockKind::allGather;
}

bool isOfVocabularyLink(BlockKind kind) {
    return kind == BlockKind::headInput || kind == BlockKind::headBarrier ||
           kind == BlockKind::headGradient || kind == BlockKind::embeddingOutput ||
           kind == BlockKind::embeddingReturn;
}

bool isTransfer(BlockKind kind) {
    return kind == BlockKind::transferForward || kind == BlockKind::transferBackward;
}

}  // namespace stagecraft::validation
