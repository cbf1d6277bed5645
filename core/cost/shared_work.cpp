#include "core/cost/shared_work.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace stagecraft::cost {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Worths that are made to say more, one after the other.
class WorthSearch {
public:
    WorthSearch(const std::vector<std::vector<double>>& seconds, const std::vector<double>& devices)
        : seconds_(seconds), devices_(devices), worth_(seconds.size(), unlimited) {
        const auto first = std::ranges::find_if(devices, [](double count) { return count > 0; });
        base_ = static_cast<std::size_t>(first - devices.begin());
        const auto sumOf = [&](std::size_t kind) {
            return std::accumulate(seconds[kind].begin(), seconds[kind].end(), 0.0);
        };
        for (std::size_t kind = 0; kind < worth_.size(); ++kind)
            if (kind == base_ || (devices_[kind] > 0 && sumOf(kind) > 0))
                worth_[kind] = kind == base_ ? 1 : sumOf(base_) / sumOf(kind);
    }

    SharedWork best() {
        constexpr int rounds = 3;
        for (int round = 0; round < rounds; ++round)
            for (std::size_t kind = 0; kind < worth_.size(); ++kind)
                if (kind != base_ && worth_[kind] < unlimited) improve(kind);
        SharedWork work{leastS(), worth_};
        return work;
    }

private:
    /// Of an item, by all kinds but one.
    double leastOf(std::size_t item, std::size_t leftOut) const {
        double least = unlimited;
        for (std::size_t kind = 0; kind < worth_.size(); ++kind)
            if (kind != leftOut && worth_[kind] < unlimited)
                least = std::min(least, worth_[kind] * seconds_[kind][item]);
        return least;
    }
    std::vector<double> leastS() const {
        std::vector<double> least;
        for (std::size_t item = 0; item < seconds_[base_].size(); ++item)
            least.push_back(leastOf(item, worth_.size()));
        return least;
    }
    double boundS() const {
        const std::vector<double> least = leastS();
        double devices = 0;
        for (std::size_t kind = 0; kind < worth_.size(); ++kind)
            if (worth_[kind] < unlimited) devices += devices_[kind] * worth_[kind];
        return std::accumulate(least.begin(), least.end(), 0.0) / devices;
    }
    /// The bound is a quotient of lines between the worths at which the kind begins to weigh an item.
    void improve(std::size_t kind) {
        std::set<double> worths;
        for (std::size_t item = 0; item < seconds_[kind].size(); ++item)
            if (seconds_[kind][item] > 0) worths.insert(leastOf(item, kind) / seconds_[kind][item]);
        double bestS = boundS(), best = worth_[kind];
        for (const double each : worths) {
            if (!(each > 0)) continue;
            worth_[kind] = each;
            if (const double seconds = boundS(); seconds > bestS) bestS = seconds, best = each;
        }
        worth_[kind] = best;
    }

    const std::vector<std::vector<double>>& seconds_;
    const std::vector<double>& devices_;
    std::vector<double> worth_;
    std::size_t base_ = 0;
};

}  // namespace

SharedWork sharedWork(const std::vector<std::vector<double>>& seconds, const std::vector<double>& devices) {
    return WorthSearch(seconds, devices).best();
}

}  // namespace stagecraft::cost
