#include "core/planners/automatic/plan_rates.h"

#include "core/base/indices.h"
#include "core/cost/divided_profile.h"
#include "core/model/prices.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <tuple>

namespace stagecraft::planners {

namespace {

constexpr int roundsOfRaising = 3;
constexpr int halvingsOfRaise = 50;

std::vector<double> sumsOf(const std::vector<double>& each) {
    std::vector<double> sums{0};
    std::partial_sum(each.begin(), each.end(), std::back_inserter(sums));
    return sums;
}

}  // namespace

/// What a layer costs least at the raised prices, but on one kind.
double PlanRates::cheapest(const std::vector<PricedKind>& kinds, std::size_t layer, std::size_t besides) {
    double least = infinity;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
        if (kind != besides) least = std::min(least, kinds[kind].raised() * kinds[kind].seconds[layer]);
    return least;
}

double PlanRates::cheapestWorkS(const std::vector<PricedKind>& kinds, double shareS) {
    double seconds = 0;
    for (std::size_t layer = 0; layer < kinds.front().seconds.size(); ++layer)
        seconds += cheapest(kinds, layer, kinds.size());
    for (const PricedKind& kind : kinds) seconds -= kind.raise * kind.count * shareS;
    return seconds;
}

/// By as much as leaves the kind no more of the layers than its devices have time for.
void PlanRates::raise(std::vector<PricedKind>& kinds, std::size_t kind, double shareS) {
    PricedKind& own = kinds[kind];
    std::vector<double> elsewhere;
    double high = 0;
    for (std::size_t layer = 0; layer < own.seconds.size(); ++layer) {
        elsewhere.push_back(cheapest(kinds, layer, kind));
        if (own.seconds[layer] > 0) high = std::max(high, elsewhere.back() / own.seconds[layer] - own.price);
    }
    const auto isTooMuch = [&](double raised) {
        double seconds = 0;
        for (std::size_t layer = 0; layer < own.seconds.size(); ++layer)
            if ((own.price + raised) * own.seconds[layer] < elsewhere[layer]) seconds += own.seconds[layer];
        return seconds > own.count * shareS;
    };
    double low = 0;
    for (int step = 0; step < halvingsOfRaise; ++step) {
        const double middle = (low + high) / 2;
        (isTooMuch(middle) ? low : high) = middle;
    }
    own.raise = isTooMuch(0) ? high : 0;
}

PlanRates::PlanRates(AutoObjective objective, const Problem& problem, const MachineFacts& machines,
                     double mostSeconds)
    : orderCount_(machines.ordersForTime), mostSeconds_(mostSeconds) {
    if (objective == AutoObjective::time) return;
    unit_ = AutoUnit::gpuSeconds;
    if (!hasPrices(problem)) return;
    unit_ = AutoUnit::dollars;
    orderCount_ = machines.orders.size();
    for (int device = 0; device < problem.cluster.deviceCount(); ++device)
        dollarsPerS_.push_back(dollarsPerSecond(problem, std::vector<int>{device}));
    for (const std::vector<int>& order : machines.orders) {
        std::vector<double> each;
        for (const int device : order) each.push_back(dollarsPerS_[at(device)]);
        ofFirst_.push_back(sumsOf(each));
    }
    std::vector<double> ascending = dollarsPerS_;
    std::ranges::sort(ascending);
    ofCheapest_ = sumsOf(ascending);
}

double PlanRates::of(const PipelineLayout& layout, std::size_t order) const {
    switch (unit_) {
        case AutoUnit::seconds:
            return 1;
        case AutoUnit::gpuSeconds:
            return layout.devices();
        case AutoUnit::dollars:
            break;
    }
    return ofFirst_[order][at(layout.devices())];
}

/// One a kind and price. Without what the ranks of a group send, which takes as long again, but no less than
/// a layer takes with it anywhere.
std::vector<PlanRates::PricedKind> PlanRates::pricedKinds(const RankLayers& layers) const {
    const CostModel& costs = layers.costs();
    const Problem& problem = costs.problem();
    const double imbalance = problem.setup.imbalanceOf(layers.group());
    std::vector<LayerProfile> ofKinds{dividedProfile(problem.profile, layers.group(), imbalance)};
    if (const KindSums* kinds = costs.measuredKinds())
        for (int kind = 1; kind < kinds->kindCount(); ++kind)
            ofKinds.push_back(dividedProfile(kinds->profile(kind), layers.group(), imbalance));
    std::map<std::tuple<double, int, double>, int> devices;  // price over the least, kind, speed
    for (std::size_t device = 0; device < dollarsPerS_.size(); ++device) {
        const ComputePace pace = costs.paceOf(static_cast<int>(device));
        ++devices[{dollarsPerS_[device] / leastDollarsPerS(), pace.kind, pace.speed}];
    }
    std::vector<PricedKind> priced;
    for (const auto& [key, count] : devices) {
        const auto& [price, kind, speed] = key;
        PricedKind& own = priced.emplace_back(PricedKind{price, count});
        for (int layer = 0; layer < layers.layerCount(); ++layer) {
            const Layer& there = ofKinds[at(kind)].layers[at(layer)];
            own.seconds.push_back(
                std::max((there.forwardS + there.backwardS) / speed, layers.layers()[at(layer)].workS()));
        }
    }
    return priced;
}

double PlanRates::moreS(const RankLayers& layers, int microbatches) const {
    if (unit_ != AutoUnit::dollars) return 0;
    std::vector<PricedKind> kinds = pricedKinds(layers);
    double workS = 0;
    for (const LayerOnRank& layer : layers.layers()) workS += layer.workS();
    double mostS = cheapestWorkS(kinds, 0);
    // What a device has time for, of a microbatch on one rank.
    const double shareS = mostSeconds_ / microbatches / layers.group().ranksOfCopy();
    if (kinds.size() > 1 && std::isfinite(shareS)) {
        for (int round = 0; round < roundsOfRaising; ++round)
            for (std::size_t kind = 0; kind < kinds.size(); ++kind) raise(kinds, kind, shareS);
        mostS = std::max(mostS, cheapestWorkS(kinds, shareS));
    }
    return std::max(0.0, mostS - workS);
}

ValueBound PlanRates::ofAnyRanks(const LayoutBound& bounds, const PipelineLayout& layout,
                                 const TimeBound& least, double moreS) const {
    if (unit_ == AutoUnit::seconds || !least.fits()) return {least.seconds, least.reason};
    const double each = unit_ == AutoUnit::dollars ? leastDollarsPerS() : 1;
    return {each * layout.devicesOfRank() * bounds.rankSecondsOfAny(moreS), least.reason};
}

ValueBound PlanRates::ofRanks(const LayoutBound& bounds, const PipelineLayout& layout, const TimeBound& least,
                              double moreS) const {
    if (unit_ == AutoUnit::seconds || !least.fits()) return {least.seconds, least.reason};
    if (unit_ == AutoUnit::gpuSeconds) return {layout.devices() * least.seconds, least.reason};
    const double byTime = ofCheapest_[at(layout.devices())] * least.seconds;
    const double byWork =
        leastDollarsPerS() * layout.devicesOfRank() * bounds.rankSecondsOf(layout.ranks, moreS);
    return byWork > byTime ? ValueBound{byWork, BoundReason::work} : ValueBound{byTime, least.reason};
}

}  // namespace stagecraft::planners
