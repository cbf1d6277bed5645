#include "core/validation/ring_rates.h"

#include "core/base/indices.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace stagecraft::validation {

namespace {

/// Widths are in parts of the widest.
constexpr double nothing = 1e-9;

using Numbers = std::vector<double>;

/// Unknowns are the ways, then what is left of each pair's width; as many as there are pairs are not 0.
class Rates {
public:
    Rates(std::vector<std::vector<std::size_t>> pairsOf, Numbers widths)
        : ways_(pairsOf.size()), pairsOf_(std::move(pairsOf)), widths_(std::move(widths)) {
        for (std::size_t pair = 0; pair < widths_.size(); ++pair) {
            used_.push_back(ways_ + pair);
            pairsOf_.push_back({pair});
            inverse_.emplace_back(widths_.size(), 0)[pair] = 1;
        }
        value();
    }

    /// From corner to corner, each better than the one before.
    Numbers best(bool sumAlone) {
        for (int steps = 0; const auto next = better(steps, sumAlone); ++steps) {
            const Numbers change = changeBy(*next);
            std::size_t out = used_.size();
            for (std::size_t i = 0; i < used_.size(); ++i) {
                if (change[i] <= nothing) continue;
                const double longer =
                    out == used_.size() ? -1 : values_[i] / change[i] - values_[out] / change[out];
                if (longer < -nothing || (longer <= nothing && used_[i] < used_[out])) out = i;
            }
            take(*next, out, change);
        }
        Numbers rates(ways_, 0);
        for (std::size_t i = 0; i < used_.size(); ++i)
            if (used_[i] < ways_) rates[used_[i]] = values_[i];
        return rates;
    }

private:
    /// In the place of one that is in use.
    void take(std::size_t unknown, std::size_t out, const Numbers& change) {
        used_[out] = unknown;
        for (double& each : inverse_[out]) each /= change[out];
        for (std::size_t i = 0; i < used_.size(); ++i)
            if (i != out && change[i] != 0)
                for (std::size_t pair = 0; pair < widths_.size(); ++pair)
                    inverse_[i][pair] -= change[i] * inverse_[out][pair];
        value();
    }
    void value() {
        const std::size_t count = widths_.size();
        values_.assign(count, 0);
        prices_.assign(count, 0);
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t pair = 0; pair < count; ++pair) {
                values_[i] += inverse_[i][pair] * widths_[pair];
                if (used_[i] < ways_) prices_[pair] += inverse_[i][pair];
            }
    }
    /// By how much those in use fall, for each unit of another.
    Numbers changeBy(std::size_t unknown) const {
        Numbers change(used_.size(), 0);
        for (std::size_t i = 0; i < used_.size(); ++i)
            for (const std::size_t pair : pairsOf_[unknown]) change[i] += inverse_[i][pair];
        return change;
    }
    /// More of the sum for each unit of another.
    double gainOf(std::size_t unknown) const {
        double gain = unknown < ways_ ? 1 : 0;
        for (const std::size_t pair : pairsOf_[unknown]) gain -= prices_[pair];
        return gain;
    }
    /// The first of the ways that change by it, if that rises.
    std::optional<std::size_t> risenBy(std::size_t unknown) const {
        std::size_t first = unknown;
        bool rises = true;
        for (std::size_t i = 0; i < used_.size(); ++i) {
            if (used_[i] >= first) continue;
            double change = 0;
            for (const std::size_t pair : pairsOf_[unknown]) change += inverse_[i][pair];
            if (std::abs(change) > nothing) first = used_[i], rises = change < 0;
        }
        return first < ways_ && rises ? std::optional(first) : std::nullopt;
    }
    /// That which makes most of the sum for each unit; then, of what leaves the sum as it is, that by which
    /// the first way rises. After so many steps that they may go in a circle the first that makes it better.
    std::optional<std::size_t> better(int steps, bool sumAlone) const {
        constexpr int manySteps = 300;
        std::vector<bool> isUsed(pairsOf_.size(), false);
        for (const std::size_t unknown : used_) isUsed[unknown] = true;
        std::optional<std::size_t> best, preferred;
        double most = nothing;
        std::size_t first = ways_;
        for (std::size_t unknown = 0; unknown < pairsOf_.size(); ++unknown) {
            if (isUsed[unknown]) continue;
            const double gain = gainOf(unknown);
            if (gain > most) best = unknown, most = gain;
            if (best && steps > manySteps) break;
            if (sumAlone || best || std::abs(gain) > nothing || (preferred && steps > manySteps)) continue;
            if (const auto risen = risenBy(unknown); risen && *risen < first)
                preferred = unknown, first = *risen;
        }
        return best ? best : preferred;
    }

    std::size_t ways_;
    std::vector<std::vector<std::size_t>> pairsOf_;  // by unknown: on which it goes
    Numbers widths_;
    std::vector<std::size_t> used_;
    std::vector<Numbers> inverse_;  // what each in use is of the widths
    Numbers values_, prices_;       // of those in use, of pairs
};

}  // namespace

std::vector<RingRate> ringRates(const std::vector<std::vector<double>>& widthsBps, bool sumAlone) {
    const std::size_t count = widthsBps.size();
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    double widest = 0;
    for (const Numbers& own : widthsBps) widest = std::max(widest, *std::ranges::max_element(own));
    if (!(widest > 0)) return {};
    // There and back between two is one way, not two.
    if (count == 2) return {{order, widthsBps[0][1] / 2}};
    std::vector<std::vector<std::size_t>> numbers(count, std::vector<std::size_t>(count, 0));
    Numbers widths;
    for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = 0; b < a; ++b) {
            numbers[a][b] = numbers[b][a] = widths.size();
            widths.push_back(widthsBps[a][b] / widest);
        }
    std::vector<std::vector<int>> orders;
    std::vector<std::vector<std::size_t>> pairsOf;
    do {
        if (order[1] > order.back()) continue;
        std::vector<std::size_t> pairs;
        bool joined = true;
        for (std::size_t place = 0; place < count; ++place) {
            const std::size_t a = at(order[place]), b = at(order[(place + 1) % count]);
            joined = joined && widthsBps[a][b] > 0;
            pairs.push_back(numbers[a][b]);
        }
        if (!joined) continue;
        orders.push_back(order);
        pairsOf.push_back(std::move(pairs));
    } while (std::next_permutation(order.begin() + 1, order.end()));
    const Numbers rates = Rates(std::move(pairsOf), std::move(widths)).best(sumAlone);
    std::vector<RingRate> all;
    for (std::size_t way = 0; way < orders.size(); ++way)
        if (rates[way] > nothing) all.push_back({orders[way], rates[way] * widest});
    return all;
}

}  // namespace stagecraft::validation
