#include "core/planners/vpipe/local_optimum.h"

#include "core/base/indices.h"
#include "core/planners/vpipe/swap_recompute.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace stagecraft::planners::vpipe {

namespace {

constexpr int multipliers = 17;

/// Layers with the same numbers. Costs and savings of one of them.
struct Kind {
    double recomputeS = 0, recomputeSaves = 0;
    double swapS = 0, swapSaves = 0;  ///< out and in
    std::vector<std::size_t> layers;
};

struct State {
    double recomputeS = 0, swapS = 0, saved = 0;
    std::uint32_t parent = 0;
    int recomputed = 0, swapped = 0;  ///< layers of the kind that was decided last
    double boundS = 0;
};

class Search {
public:
    Search(const LocalStage& stage, bool mayRecompute, std::size_t mostStates)
        : stage_(stage), mostStates_(mostStates), baseS_(stage.forwardS() + stage.backwardS()) {
        collectKinds(mayRecompute);
        const LayerOps kept(stage.layers.size(), LayerMemory::keep);
        need_ = memoryBytes(stage, kept) - stage.limitBytes;
        if (mayRecompute) need_ += stage.rank * stage.inputBytes;
        prepareBounds();
    }

    /// @param knownS a stage time that can be had already
    LocalOptimum run(double knownS) {
        bestS_ = knownS;
        lowerBoundS_ = infinity;
        std::vector<std::vector<State>> levels{{State{}}};
        for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
            levels.push_back(expand(kind, levels.back()));
        LocalOptimum found;
        found.ops.assign(stage_.layers.size(), LayerMemory::keep);
        std::size_t best = levels.back().size();
        for (std::size_t i = 0; i < levels.back().size(); ++i) {
            const State& state = levels.back()[i];
            if (state.saved < need_) continue;
            if (!found.feasible || timeOf(state) < found.stageTimeS) {
                best = i;
                found.feasible = true;
                found.stageTimeS = timeOf(state);
            }
        }
        if (found.feasible) traceBack(levels, best, found.ops);
        found.proven = lowerBoundS_ == infinity;
        found.lowerBoundS = std::min(found.feasible ? found.stageTimeS : infinity, lowerBoundS_);
        return found;
    }

private:
    double timeOf(const State& state) const { return std::max(baseS_ + state.recomputeS, state.swapS); }

    void collectKinds(bool mayRecompute) {
        std::map<std::array<double, 4>, std::size_t> known;
        for (std::size_t i = 0; i < stage_.layers.size(); ++i) {
            const LocalLayer& layer = stage_.layers[i];
            const double whole = stage_.rank * layer.dependentBytes;
            Kind kind;
            kind.recomputeS = layer.forwardS;
            kind.recomputeSaves = mayRecompute ? whole - stage_.recomputedCopies * layer.activationBytes : 0;
            if (stage_.hostBandwidthBps > 0) {
                kind.swapS = 2 * layer.activationBytes / stage_.hostBandwidthBps;
                kind.swapSaves = whole - stage_.swappedCopies * layer.activationBytes;
            }
            if (!(kind.recomputeSaves > 0) && !(kind.swapSaves > 0)) continue;
            const auto [at, isNew] = known.try_emplace(
                {kind.recomputeS, kind.recomputeSaves, kind.swapS, kind.swapSaves}, kinds_.size());
            if (isNew) kinds_.push_back(kind);
            kinds_[at->second].layers.push_back(i);
        }
        // The heaviest first: then the bounds bite early.
        std::stable_sort(kinds_.begin(), kinds_.end(), [](const Kind& a, const Kind& b) {
            return std::max(a.recomputeSaves, a.swapSaves) > std::max(b.recomputeSaves, b.swapSaves);
        });
    }

    /// For a multiplier x in [0, 1] the stage time is at least x (base + recompute) + (1 - x) swap. Of what
    /// is left to decide each byte saved costs at least its layer's least price, and the cheapest are taken
    /// first.
    struct Price {
        double perByte = 0, bytes = 0;
        std::size_t kind = 0;
    };

    void prepareBounds() {
        for (int m = 0; m < multipliers; ++m) {
            const double x = double(m) / (multipliers - 1);
            std::vector<Price>& list = prices_[static_cast<std::size_t>(m)];
            for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
                const Kind& each = kinds_[kind];
                double least = infinity;
                if (each.recomputeSaves > 0)
                    least = std::min(least, x * each.recomputeS / each.recomputeSaves);
                if (each.swapSaves > 0) least = std::min(least, (1 - x) * each.swapS / each.swapSaves);
                list.push_back(
                    {least,
                     std::max(each.recomputeSaves, each.swapSaves) * static_cast<double>(each.layers.size()),
                     kind});
            }
            std::stable_sort(list.begin(), list.end(),
                             [](const Price& a, const Price& b) { return a.perByte < b.perByte; });
        }
    }

    /// Of the best completion of a state of which kinds before `decided` are settled; infinity: there is
    /// none.
    double bound(const State& state, std::size_t decided) const {
        double bound = timeOf(state);
        for (int m = 0; m < multipliers && bound < bestS_; ++m) {
            const double x = double(m) / (multipliers - 1);
            double left = need_ - state.saved;
            double total = x * (baseS_ + state.recomputeS) + (1 - x) * state.swapS;
            for (const Price& price : prices_[static_cast<std::size_t>(m)]) {
                if (!(left > 0)) break;
                if (price.kind < decided) continue;
                const double taken = std::min(left, price.bytes);
                total += taken * price.perByte;
                left -= taken;
            }
            if (left > 0) return infinity;
            bound = std::max(bound, total);
        }
        return bound;
    }

    std::vector<State> expand(std::size_t kind, const std::vector<State>& before) {
        const Kind& each = kinds_[kind];
        const int count = static_cast<int>(each.layers.size());
        const int mostRecomputed = each.recomputeSaves > 0 ? count : 0;
        std::vector<State> next;
        for (std::size_t parent = 0; parent < before.size(); ++parent)
            for (int recomputed = 0; recomputed <= mostRecomputed; ++recomputed)
                for (int swapped = 0; swapped <= (each.swapSaves > 0 ? count - recomputed : 0); ++swapped) {
                    State state = before[parent];
                    state.recomputeS += recomputed * each.recomputeS;
                    state.swapS += swapped * each.swapS;
                    state.saved += recomputed * each.recomputeSaves + swapped * each.swapSaves;
                    state.parent = static_cast<std::uint32_t>(parent);
                    state.recomputed = recomputed;
                    state.swapped = swapped;
                    if (timeOf(state) > bestS_) break;
                    state.boundS = bound(state, kind + 1);
                    if (state.boundS > bestS_) continue;
                    next.push_back(state);
                    if (next.size() > 8 * mostStates_) next = thinned(std::move(next));
                }
        return thinned(std::move(next));
    }

    /// Without those that another beats in all three respects; the most promising if there are too many.
    std::vector<State> thinned(std::vector<State> states) {
        std::stable_sort(states.begin(), states.end(), [](const State& a, const State& b) {
            if (a.recomputeS != b.recomputeS) return a.recomputeS < b.recomputeS;
            if (a.swapS != b.swapS) return a.swapS < b.swapS;
            return a.saved > b.saved;
        });
        std::map<double, double> savedBySwap;  // ascending in both: the best of those seen
        std::vector<State> kept;
        for (const State& state : states) {
            const double saved = std::min(state.saved, std::max(need_, 0.0));
            auto after = savedBySwap.upper_bound(state.swapS);
            if (after != savedBySwap.begin() && std::prev(after)->second >= saved) continue;
            while (after != savedBySwap.end() && after->second <= saved) after = savedBySwap.erase(after);
            savedBySwap[state.swapS] = saved;
            kept.push_back(state);
        }
        if (kept.size() <= mostStates_) return kept;
        std::stable_sort(kept.begin(), kept.end(),
                         [](const State& a, const State& b) { return a.boundS < b.boundS; });
        lowerBoundS_ = std::min(lowerBoundS_, kept[mostStates_].boundS);
        kept.resize(mostStates_);
        return kept;
    }

    void traceBack(const std::vector<std::vector<State>>& levels, std::size_t last, LayerOps& ops) const {
        for (std::size_t level = levels.size() - 1; level > 0; --level) {
            const State& state = levels[level][last];
            const std::vector<std::size_t>& layers = kinds_[level - 1].layers;
            for (int i = 0; i < state.recomputed + state.swapped; ++i)
                ops[layers[static_cast<std::size_t>(i)]] =
                    i < state.recomputed ? LayerMemory::recompute : LayerMemory::swap;
            last = state.parent;
        }
    }

    const LocalStage& stage_;
    std::size_t mostStates_;
    double baseS_ = 0, need_ = 0, bestS_ = infinity, lowerBoundS_ = infinity;
    std::vector<Kind> kinds_;
    std::array<std::vector<Price>, multipliers> prices_;
};

/// What Algorithm 2 finds, if it fits: the search needs nothing that is slower.
LocalOptimum greedy(const LocalStage& stage) {
    LocalOptimum best;
    best.stageTimeS = infinity;
    for (const bool eager : {false, true})
        for (const bool chargesRank : {false, true}) {
            const SwapRecompute found = swapAndRecompute(stage, {eager, false, chargesRank});
            if (!found.fits || !(found.times.totalS() < best.stageTimeS)) continue;
            best.feasible = true;
            best.ops = found.ops;
            best.stageTimeS = found.times.totalS();
        }
    return best;
}

}  // namespace

LocalOptimum localOptimum(const LocalStage& stage, std::size_t mostStates) {
    LocalOptimum best = greedy(stage);
    best.lowerBoundS = infinity;
    best.proven = true;
    // A stage that recomputes pays for its input in every batch; one that does not need not.
    for (const bool mayRecompute : {false, true}) {
        const LocalOptimum found = Search(stage, mayRecompute, mostStates).run(best.stageTimeS);
        best.proven = best.proven && found.proven;
        best.lowerBoundS = std::min(best.lowerBoundS, found.lowerBoundS);
        if (!found.feasible || (best.feasible && !(found.stageTimeS < best.stageTimeS))) continue;
        best.feasible = true;
        best.ops = found.ops;
        best.stageTimeS = found.stageTimeS;
    }
    if (best.feasible)
        best.lowerBoundS = best.proven ? best.stageTimeS : std::min(best.lowerBoundS, best.stageTimeS);
    return best;
}

}  // namespace stagecraft::planners::vpipe
