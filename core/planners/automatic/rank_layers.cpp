#include "core/planners/automatic/rank_layers.h"

#include "core/base/indices.h"
#include "core/cost/divided_profile.h"
#include "core/cost/shared_work.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace stagecraft::planners {

namespace {

/// What differs between groups of one cluster: the paces of their slowest members and the links among them.
using GroupKind = std::tuple<std::vector<ComputePace>, double, double, double, double, double, double>;

GroupKind kindOf(const CostModel& costs, const std::vector<int>& devices, const Group& group) {
    const Interconnect& net = costs.interconnect();
    const std::vector<int> tensor(devices.begin(), devices.begin() + group.tensor);
    const double tensorBps = net.minBandwidthBps(tensor, tensor),
                 ringsBps = net.ringsBandwidthBps(tensor, tensorBps);
    return {costs.slowestPaces(devices),
            tensorBps,
            ringsBps,
            net.laidBps(tensor, ringsBps),
            net.maxLatencyS(tensor, tensor),
            net.minBandwidthBps(devices, devices),
            net.maxLatencyS(devices, devices)};
}

/// A group of each kind, in any of the orders.
std::vector<std::vector<int>> groupsOfEachKind(const CostModel& costs, const Group& group,
                                               const MachineFacts& machines) {
    std::map<GroupKind, std::vector<int>> kinds;
    const int count = static_cast<int>(machines.order.size()) / group.ranksOfCopy();
    for (const std::vector<int>& order : machines.orders)
        for (int index = 0; index < count; ++index) {
            std::vector<int> devices = groupDevices(order, group, index);
            GroupKind kind = kindOf(costs, devices, group);
            kinds.try_emplace(kind, std::move(devices));
        }
    std::vector<std::vector<int>> groups;
    for (auto& [kind, devices] : kinds) groups.push_back(std::move(devices));
    return groups;
}

/// Whether the ranks of any group send as much for both.
bool sendAlike(const Layer& a, const Layer& b) {
    return a.division && a.division == b.division && a.onRanks.empty() && b.onRanks.empty();
}

/// @param expertBps between the ranks that share experts out, which reach over copies
InsideSends sendsOf(const CostModel& costs, const Group& group, const std::vector<int>& devices, int layer,
                    double expertBps) {
    Stage stage;
    stage.devices = devices;
    stage.group = group;
    stage.group.expert = 1;
    InsideSends sends = costs.insideSends(stage, devices, layer, layer);
    if (group.expert == 1) return sends;
    const SentInside sent = sentInside(costs.problem().profile.layers[at(layer)], group);
    if (sent.expert <= 0) return sends;
    sends.expert.forwardBytes = sends.expert.backwardBytes = sent.expert;
    sends.expert.forwardBps = sends.expert.backwardBps = expertBps;
    return sends;
}

std::vector<Saving> savingsOf(const CostModel& costs, const Group& group, int layer, double scoresS,
                              double forwardS) {
    const double kept = costs.keptBytes(layer, LayerMemory::keep, group);
    const Saving some{kept - costs.keptBytes(layer, LayerMemory::selective, group), scoresS};
    const Saving all{kept - costs.keptBytes(layer, LayerMemory::checkpoint, group), forwardS};
    std::vector<Saving> savings;
    if (all.bytes <= 0) {
        if (some.bytes > 0) savings.push_back(some);
        return savings;
    }
    // The rest of a full recomputation, where it is dearer by the byte.
    const Saving rest{all.bytes - some.bytes, all.seconds - some.seconds};
    const bool isTwoSteps = some.bytes > 0 && rest.bytes > 0 && rest.seconds >= 0 &&
                            some.bytes * rest.seconds >= rest.bytes * some.seconds;
    if (isTwoSteps)
        savings = {some, rest};
    else
        savings = {all};
    return savings;
}

}  // namespace

std::vector<int> groupDevices(const std::vector<int>& order, const Group& group, int index) {
    const auto ranks = static_cast<std::ptrdiff_t>(group.ranksOfCopy());
    const auto first = order.begin() + index * ranks;
    return {first, first + ranks};
}

RankLayers::RankLayers(const CostModel& costs, const Group& group, const MachineFacts& machines)
    : costs_(costs),
      group_(group),
      divided_(dividedProfile(costs.problem().profile, group, costs.problem().setup.imbalanceOf(group))),
      isChain_(costs.problem().profile.isChain()) {
    divided_.otherSizes.clear();
    if (const KindSums* kinds = costs.measuredKinds())
        for (int kind = 1; kind < kinds->kindCount(); ++kind) {
            LayerProfile& own = onKinds_.emplace_back(
                dividedProfile(kinds->profile(kind), group, costs.problem().setup.imbalanceOf(group)));
            own.otherSizes.clear();
        }
    addSpeeds();
    addLayers(machines);
    addWays();
}

void RankLayers::addSpeeds() {
    std::vector<double> devices(onKinds_.size() + 1, 0);
    for (int device = 0; device < costs_.deviceCount(); ++device) {
        const ComputePace pace = costs_.paceOf(device);
        devices[at(pace.kind)] += pace.speed;
    }
    std::vector<std::vector<double>> seconds;  // by kind, of forwards and backwards
    for (std::size_t kind = 0; kind < devices.size(); ++kind) {
        std::vector<double>& own = seconds.emplace_back();
        for (const Layer& layer : divided(static_cast<int>(kind)).layers) {
            own.push_back(layer.forwardS);
            own.push_back(layer.backwardS);
        }
    }
    const SharedWork shared =
        onKinds_.empty() ? SharedWork{seconds.front(), {1}} : sharedWork(seconds, devices);
    for (std::size_t item = 0; item < shared.leastS.size(); item += 2)
        computedS_.push_back(shared.leastS[item] + shared.leastS[item + 1]);
    std::vector<double> speeds;
    for (int device = 0; device < costs_.deviceCount(); ++device) {
        const ComputePace pace = costs_.paceOf(device);
        speeds.push_back(shared.worth[at(pace.kind)] * pace.speed);
    }
    std::ranges::sort(speeds, std::greater());
    speedSums_ = {0};
    for (const double speed : speeds) speedSums_.push_back(speedSums_.back() + speed);
}

ComputedTimes RankLayers::slowestOf(const std::vector<ComputePace>& paces, int layer) const {
    ComputedTimes slowest;
    for (const ComputePace& pace : paces) {
        const Layer& own = divided(pace.kind).layers[at(layer)];
        slowest.takeLonger({own.forwardS / pace.speed, own.backwardS / pace.speed,
                            own.weightGradientS / pace.speed, own.scoresRecomputeS / pace.speed});
    }
    return slowest;
}

void RankLayers::addLayers(const MachineFacts& machines) {
    const TrainingSetup& setup = costs_.problem().setup;
    const std::vector<std::vector<int>> kinds = groupsOfEachKind(costs_, group_, machines);
    const double exposed = 1 - setup.insideOverlap;
    const std::vector<int> first = groupDevices(machines.order, group_, 0);
    const auto sharers = std::min<std::size_t>(at(group_.expert), machines.order.size());
    const std::vector<int> together(machines.order.begin(),
                                    machines.order.begin() + static_cast<std::ptrdiff_t>(sharers));
    const double widestBps = machines.widestAmong(group_.expert, 1);
    const double usualBps = costs_.interconnect().minBandwidthBps(together, together);
    std::vector<std::vector<ComputePace>> paces;
    for (const std::vector<int>& kind : kinds) paces.push_back(costs_.slowestPaces(kind));
    const std::vector<Layer>& whole = costs_.problem().profile.layers;
    std::vector<InsideSends> sendsOfKinds(kinds.size());  // of the layer at hand, and of those alike after it
    InsideSends usual;
    for (int index = 0; index < costs_.layerCount(); ++index) {
        const Layer& own = divided_.layers[at(index)];
        LayerOnRank& rank = layers_.emplace_back();
        if (index == 0 || !sendAlike(whole[at(index)], whole[at(index - 1)])) {
            for (std::size_t kind = 0; kind < kinds.size(); ++kind)
                sendsOfKinds[kind] = sendsOf(costs_, group_, kinds[kind], index, widestBps);
            usual = sendsOf(costs_, group_, first, index, usualBps);
        }
        double forwardS = infinity, inputS = infinity, weightS = infinity, scoresS = infinity;
        for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
            const InsideSends& sends = sendsOfKinds[kind];
            const ComputedTimes slowest = slowestOf(paces[kind], index);
            const double backwardS = slowest.backwardS + exposed * sends.backwardS();
            const double ownWeightS = std::min(slowest.weightGradientS, backwardS);
            forwardS = std::min(forwardS, slowest.forwardS + exposed * sends.forwardS());
            inputS = std::min(inputS, backwardS - ownWeightS);
            weightS = std::min(weightS, ownWeightS);
            scoresS = std::min(scoresS, slowest.recomputeS);
        }
        rank.forwardS = forwardS;
        rank.computedS = computedS_[at(index)];
        rank.weightGradientS = weightS;
        rank.inputGradientS = inputS;
        rank.keptBytes = costs_.keptBytes(index, LayerMemory::keep, group_);
        rank.savings = savingsOf(costs_, group_, index, scoresS, forwardS);
        rank.expertBytes = own.expertParameterBytes;
        rank.parameterBytes = own.parameterBytes - own.expertParameterBytes;
        sentForwardS_.push_back(usual.forwardS());
        sentBackwardS_.push_back(usual.backwardS());
        sendsInside_ = sendsInside_ || usual.forwardS() > 0 || usual.backwardS() > 0;
    }
}

LayerTimes RankLayers::withSends(const LayerTimes& computed, int layer) const {
    const auto with = [&](double sentS, double computedS) {
        return computedS + (sentS - std::min(costs_.problem().setup.insideOverlap * sentS, computedS));
    };
    return {with(sentForwardS_[at(layer)], computed.forwardS),
            with(sentBackwardS_[at(layer)], computed.backwardS), computed.weightGradientS};
}

void RankLayers::addWays() {
    headS_.assign(layers_.size(), 0);
    roundS_.assign(layers_.size(), 0);
    std::vector<LayerEdge> edges = costs_.problem().profile.dependencies();
    std::ranges::stable_sort(edges, {}, &LayerEdge::from);
    for (const LayerEdge& edge : edges)
        headS_[at(edge.to)] =
            std::max(headS_[at(edge.to)], headS_[at(edge.from)] + layers_[at(edge.from)].forwardS);
    std::vector<double> beyondS(layers_.size(), 0);
    std::ranges::stable_sort(edges, std::greater(), &LayerEdge::to);
    for (const LayerEdge& edge : edges)
        beyondS[at(edge.from)] =
            std::max(beyondS[at(edge.from)], beyondS[at(edge.to)] + layers_[at(edge.to)].chainS());
    for (std::size_t layer = 0; layer < layers_.size(); ++layer)
        roundS_[layer] = layers_[layer].chainS() + beyondS[layer];
}

}  // namespace stagecraft::planners
