#include "core/planners/automatic/layout_bound.h"

#include "core/base/indices.h"
#include "core/cost/state_syncs.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace stagecraft::planners {

namespace {

constexpr int halvings = 60;
constexpr double precision = 1e-10;  ///< of a bound, which is rounded down by it

/// The least x in [low, high] that is allowed, from below; `high` is.
template <typename Allows>
double leastAllowed(double low, double high, Allows allows) {
    for (int i = 0; i < halvings && high - low > precision * high; ++i) {
        const double middle = low + (high - low) / 2;
        (allows(middle) ? high : low) = middle;
    }
    return low;
}

double between(const std::vector<double>& prefix, int first, int last) {
    return prefix[at(last + 1)] - prefix[at(first)];
}

}  // namespace

const char* boundReasonText(BoundReason reason) {
    switch (reason) {
        case BoundReason::work:
            return "work";
        case BoundReason::layers:
            return "the largest layers";
        case BoundReason::chain:
            return "the way through all layers and back";
        case BoundReason::memory:
            return "memory";
        case BoundReason::stages:
            return "the slowest stage of any cut";
        case BoundReason::sync:
            return "what copies send to each other";
        case BoundReason::noMemory:
            return "too little memory";
        case BoundReason::fitsWithLess:
            return "ZeRO-1 fits too";
    }
    return "";
}

LayoutBound::LayoutBound(std::shared_ptr<const RankLayers> layers, const MachineFacts& machines,
                         const PipelineLayout& layout)
    : LayoutBound(std::move(layers), machines, layout, false) {}

LayoutBound LayoutBound::underAnyZero(std::shared_ptr<const RankLayers> layers, const MachineFacts& machines,
                                      PipelineLayout layout) {
    layout.zero = ZeroStage::weights;
    return {std::move(layers), machines, layout, true};
}

LayoutBound::LayoutBound(std::shared_ptr<const RankLayers> layers, const MachineFacts& machines,
                         const PipelineLayout& layout, bool anyZero)
    : layers_(std::move(layers)), layout_(layout), roomBytes_(machines.roomiestBytes) {
    addSums(machines, anyZero);
    addSavings();
}

/// On the ring of those that hold the same parameters.
double LayoutBound::syncOf(const LayerOnRank& layer, const MachineFacts& machines, double rounds) const {
    const Group& group = layout_.group;
    const int holders = layout_.devicesOfRank();
    // A switch that sums takes each byte once, where a ring sends it almost twice.
    const bool mayStart = layers_->costs().problem().setup.collectiveStartS > 0;
    const bool maySum = machines.anySwitchSums && mayStart;
    const auto roundS = [&](double bytes, int ring, int step) {
        if (ring < 2 || bytes <= 0) return 0.0;
        const double widestBps =
            mayStart ? machines.widestRingsAmong(ring, step) : machines.widestAmong(ring, step);
        return (ring - 1.0) / ring * bytes / widestBps / (maySum ? 2 : 1);
    };
    // Rings of parameters and of experts are one after the other on each device.
    return rounds * (roundS(layer.parameterBytes, holders / group.tensor, group.tensor) +
                     roundS(layer.expertBytes, holders / group.expert, group.expert));
}

void LayoutBound::addSums(const MachineFacts& machines, bool anyZero) {
    const Problem& asked = layers_->costs().problem();
    Problem own;
    own.setup = asked.setup;
    own.setup.zero = layout_.zero;
    own.profile.elementBytes = asked.profile.elementBytes;
    // Of the last of each microbatch, of all, and ahead of passes.
    double rounds = 0, roundsEach = 0, roundsBefore = 0;
    for (const StateSync& sync : stateSyncs(own)) {
        // The last of those of each microbatch comes after its last backward.
        const double bareBytes = leastExposed(sync.trigger, own.setup) * sync.roundBytes;
        if (sync.trigger != SyncTrigger::beforePass)
            rounds += bareBytes;
        else if (!anyZero)
            roundsBefore += 2 * bareBytes;
        if (sync.trigger == SyncTrigger::afterBackward && !anyZero) roundsEach += bareBytes;
    }
    const LayoutStates states(asked, layout_);
    for (auto* prefix : {&work_, &state_, &syncs_, &updates_, &kept_, &least_}) prefix->assign(1, 0);
    leastSyncS_ = infinity;
    for (const LayerOnRank& layer : layers_->layers()) {
        const double gatherS = syncOf(layer, machines, roundsBefore);
        reservedSyncS_ += gatherS + syncOf(layer, machines, roundsEach);
        addLayer(layer, states.bytes(layer.parameterBytes, layer.expertBytes),
                 syncOf(layer, machines, rounds), gatherS,
                 states.updateS(layer.parameterBytes, layer.expertBytes));
    }
    total_.workS = work_.back();
    std::ranges::sort(falling_, std::greater());
    addMonotoneWays();
}

/// @param gatherS of its weights, for each microbatch
void LayoutBound::addLayer(const LayerOnRank& layer, double stateBytes, double syncS, double gatherS,
                           double updateS) {
    const std::size_t index = states_.size();
    const double workS = layer.workS() + gatherS, roundS = layers_->roundS()[index];
    states_.push_back(stateBytes);
    sync_.push_back(syncS);
    leastSyncS_ = std::min(leastSyncS_, syncS);
    work_.push_back(work_.back() + workS);
    state_.push_back(state_.back() + stateBytes);
    syncs_.push_back(syncs_.back() + syncS);
    updates_.push_back(updates_.back() + updateS);
    kept_.push_back(kept_.back() + layer.keptBytes);
    least_.push_back(least_.back() + layer.leastBytes());
    falling_.push_back(layout_.microbatches * workS + updateS);
    computedS_ += layer.computedS;
    total_.areaBytesS += layer.keptBytes * roundS;
    chainS_ = std::max(chainS_, roundS);
    // Before its first pass the way to it, after its last input gradient the way back is not counted.
    largestShareS_ = std::max(largestShareS_, layers_->headS()[index] + falling_.back());
    largestLayerBytes_ = std::max(largestLayerBytes_, stateBytes + layer.leastBytes());
}

/// Where layers are no chain the ways to them and from them neither rise nor fall in their order, and less of
/// them has to do: the least that any later stage needs to be reached, at most a layer more from one to the
/// next; the least round from any earlier one.
void LayoutBound::addMonotoneWays() {
    reachS_ = layers_->headS();
    for (std::size_t index = reachS_.size(); index-- > 1;)
        reachS_[index - 1] = std::min(reachS_[index - 1], reachS_[index]);
    for (std::size_t index = 1; index < reachS_.size(); ++index)
        reachS_[index] = std::min(reachS_[index], reachS_[index - 1] + layers_->layers()[index - 1].forwardS);
    roundS_ = layers_->roundS();
    for (std::size_t index = 1; index < roundS_.size(); ++index)
        roundS_[index] = std::min(roundS_[index], roundS_[index - 1]);
}

void LayoutBound::addSavings() {
    struct Item {
        double bytesS, seconds;
    };
    std::vector<Item> items;
    const std::vector<LayerOnRank>& all = layers_->layers();
    for (std::size_t index = 0; index < all.size(); ++index)
        for (const Saving& saving : all[index].savings) {
            items.push_back({saving.bytes * layers_->roundS()[index], saving.seconds});
            if (saving.seconds > 0) bestRatio_ = std::max(bestRatio_, saving.bytes / saving.seconds);
            if (saving.seconds <= 0) bestRatio_ = infinity;
        }
    std::ranges::stable_sort(
        items, [](const Item& a, const Item& b) { return a.bytesS * b.seconds > b.bytesS * a.seconds; });
    savedBytesS_.assign(1, 0);
    savedS_.assign(1, 0);
    for (const Item& item : items) {
        savedBytesS_.push_back(savedBytesS_.back() + item.bytesS);
        savedS_.push_back(savedS_.back() + item.seconds);
    }
    total_.savedBytesS = savedBytesS_.back();
    total_.againS = savedS_.back();
}

double LayoutBound::againFor(double bytesS) const {
    if (bytesS <= 0) return 0;
    if (bytesS > total_.savedBytesS * (1 + precision)) return infinity;
    const auto above = std::ranges::lower_bound(savedBytesS_, bytesS);
    if (above == savedBytesS_.end()) return savedS_.back();
    const auto index = static_cast<std::size_t>(above - savedBytesS_.begin());
    if (index == 0) return 0;
    const double part = (bytesS - savedBytesS_[index - 1]) / (savedBytesS_[index] - savedBytesS_[index - 1]);
    return savedS_[index - 1] + part * (savedS_[index] - savedS_[index - 1]);
}

/// The k-th rank to begin begins with no layer before the k-th.
double LayoutBound::fillS(int ranks) const {
    double seconds = 0;
    for (int rank = 0; rank < ranks; ++rank) seconds += reachS_[at(rank)];
    return seconds;
}

/// Beyond states, of all ranks together: of each the device with least room decides, none has more than the
/// roomiest.
double LayoutBound::memoryOf(int ranks) const { return ranks * roomBytes_ - state_.back(); }

bool LayoutBound::allows(int ranks, double fillS, double seconds) const {
    const double lacking = layout_.microbatches * total_.areaBytesS - seconds * memoryOf(ranks);
    const double againS = againFor(lacking / layout_.microbatches);
    return layout_.microbatches * (total_.workS + againS) + updates_.back() + fillS + ranks * leastSyncS_ <=
           ranks * seconds;
}

TimeBound LayoutBound::bounded(int ranks, double fillS) const {
    const double memory = memoryOf(ranks);
    // As the last of a rank's stages begins a backward, all of them hold the microbatch; side by side they
    // need not.
    const double leastHeld = layers_->isChain() ? least_.back() : 0;
    if (leastHeld > memory || largestLayerBytes_ > roomBytes_) return {infinity, BoundReason::noMemory};
    const int m = layout_.microbatches;
    const double onceS = updates_.back() + fillS;
    TimeBound bound{(m * total_.workS + onceS) / ranks + leastSyncS_, BoundReason::work};
    const auto raise = [&bound](double seconds, BoundReason reason) {
        if (seconds > bound.seconds) bound = {seconds, reason};
    };
    const int each = layout_.devicesOfRank();
    const std::vector<double>& speeds = layers_->speedSums();
    if (ranks * each < static_cast<int>(speeds.size()))
        raise(m * computedS_ * each / speeds[at(ranks * each)], BoundReason::work);
    for (int k = 0; k < layers_->layerCount(); k += ranks)
        raise((k / ranks + 1) * falling_[at(k)], BoundReason::layers);
    raise(std::max(chainS_, largestShareS_), BoundReason::chain);
    raise(m * reservedSyncS_ / ranks, BoundReason::sync);
    if (layers_->layerCount() == 0 || allows(ranks, fillS, bound.seconds)) return bound;
    const double leastArea = total_.areaBytesS - total_.savedBytesS;
    const double most = std::max((m * (total_.workS + total_.againS) + onceS) / ranks + leastSyncS_,
                                 memory > 0 ? m * leastArea / memory : 0);
    if (memory <= 0) return {infinity, BoundReason::noMemory};
    raise(leastAllowed(bound.seconds, std::max(most, bound.seconds) * (1 + precision),
                       [&](double seconds) { return allows(ranks, fillS, seconds); }),
          BoundReason::memory);
    return bound;
}

/// Infinity: it does not fit. Microbatches hold the stage's activations from its first layer on and back.
double LayoutBound::stageS(int first, int last, double seconds) const {
    const double room = roomBytes_ - between(state_, first, last);
    if (between(least_, first, last) > room) return infinity;
    const double roundS = roundS_[at(first)];
    const int m = layout_.microbatches;
    double againS = 0;
    const double lacking = between(kept_, first, last) - seconds * room / (m * roundS);
    if (roundS > 0 && lacking > 0) {
        const double most = between(kept_, first, last) - between(least_, first, last);
        if (lacking > most * (1 + precision)) return infinity;
        againS = lacking / bestRatio_;
    }
    return reachS_[at(first)] + m * (between(work_, first, last) + againS) + between(syncs_, first, last) +
           between(updates_, first, last);
}

std::vector<int> LayoutBound::cutWithin(int ranks, double seconds) const {
    std::vector<int> firsts;
    for (int first = 0; first < layers_->layerCount();) {
        if (static_cast<int>(firsts.size()) == ranks) return {};
        int last = first;
        if (stageS(first, last, seconds) > seconds) return {};
        while (last + 1 < layers_->layerCount() && stageS(first, last + 1, seconds) <= seconds) ++last;
        firsts.push_back(first);
        first = last + 1;
    }
    return firsts;
}

TimeBound LayoutBound::ofOneStageEach(int ranks) const {
    TimeBound bound = ofAnyPlan(ranks);
    if (!bound.fits() || !cutWithin(ranks, bound.seconds).empty()) return bound;
    double high = bound.seconds;
    constexpr int doublings = 40;
    int tries = 0;
    while (cutWithin(ranks, high).empty()) {
        if (++tries > doublings) return {infinity, BoundReason::noMemory};
        high *= 2;
    }
    return {
        leastAllowed(bound.seconds, high, [&](double seconds) { return !cutWithin(ranks, seconds).empty(); }),
        BoundReason::stages};
}

}  // namespace stagecraft::planners
