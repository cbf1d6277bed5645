#include "core/planners/spp/partition_bands.h"

#include "core/base/indices.h"
#include "core/planners/planning.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagecraft::planners {

/// The fewest devices on which stages stay within a limit.
class PartitionBands::Least {
public:
    Least(const PartitionTerms& terms, double limit, int maxStages)
        : layers_(terms.layers()), none_(terms.devices() + 1) {
        const std::vector<int> stage = stagesWithin(terms, limit);
        before_.assign(at(maxStages + 1), std::vector<int>(at(layers_ + 1), none_));
        after_ = before_;
        before_[0][0] = 0;
        after_[0][at(layers_)] = 0;
        for (int stages = 1; stages <= maxStages; ++stages)
            for (int from = 0; from < layers_; ++from) {
                const int* to = &stage[at(from) * at(layers_ + 1)];
                extend(before_[at(stages - 1)][at(from)], to + from + 1, layers_ - from,
                       &before_[at(stages)][at(from) + 1]);
                after_[at(stages)][at(from)] =
                    leastSum(to + from + 1, &after_[at(stages - 1)][at(from) + 1], layers_ - from);
            }
    }
    int before(int stages, int layer) const { return before_[at(stages)][at(layer)]; }
    int after(int stages, int layer) const { return after_[at(stages)][at(layer)]; }

private:
    static void extend(int before, const int* stage, int count, int* best) {
        for (int k = 0; k < count; ++k) {
            const int sum = before + stage[k];
            best[k] = sum < best[k] ? sum : best[k];
        }
    }
    int leastSum(const int* stage, const int* after, int count) const {
        int least = none_;
        for (int k = 0; k < count; ++k) {
            const int sum = stage[k] + after[k];
            least = sum < least ? sum : least;
        }
        return least;
    }

    /// By layers from and to: the fewest devices for a stage of layers from..to-1.
    std::vector<int> stagesWithin(const PartitionTerms& terms, double limit) const {
        std::vector<int> fewest(at(layers_ + 1) * at(layers_ + 1));
        const int devices = terms.devices();
        const double* synchronised = terms.synchronised();
        for (int from = 0; from < layers_; ++from) {
            int replicas = 1;  // a longer stage takes no fewer
            for (int to = from + 1; to <= layers_; ++to) {
                const auto exceeds = [&] {
                    const double* times = terms.timesOf(replicas);
                    return terms.leastCompute(replicas) * (times[to] - times[from]) +
                               terms.leastSync(replicas) * (synchronised[to] - synchronised[from]) >
                           limit;
                };
                while (replicas <= devices && exceeds()) ++replicas;
                fewest[at(from) * at(layers_ + 1) + at(to)] = replicas;
            }
        }
        return fewest;
    }

    int layers_, none_;
    std::vector<std::vector<int>> before_, after_;  // by stages, by layers before
};

PartitionBands::PartitionBands(const PartitionTerms& terms, int maxStages)
    : devices_(terms.devices()), limits_(at(maxStages), infinity) {
    layers_.resize(index(maxStages + 1, 0));
    for (int stages = 1; stages <= maxStages; ++stages) {
        if (stages < maxStages)
            for (int devices = stages; devices < devices_; ++devices)
                layers_[index(stages, devices)] = {stages, terms.layers() - 1};
        layers_[index(stages, devices_)] = {terms.layers(), terms.layers()};
    }
}

PartitionBands::PartitionBands(const PartitionTerms& terms, const std::vector<double>& limits)
    : devices_(terms.devices()), limits_(limits) {
    layers_.resize(index(maxStages() + 1, 0));
    // Each choice of a stage and of what is before it may be worse by a tie.
    for (int stages = 1; stages <= maxStages(); ++stages)
        limits_[at(stages - 1)] *= 1 + (2 * stages + 8) * objectiveTieWidth;
    std::vector<int> totals(limits_.size());
    std::iota(totals.begin(), totals.end(), 1);
    std::sort(totals.begin(), totals.end(),
              [&](int a, int b) { return limits_[at(a - 1)] < limits_[at(b - 1)]; });
    // Numbers of stages that have nearly the same limit are looked at together.
    constexpr double nearly = 1.01;
    for (std::size_t first = 0; first < totals.size();) {
        std::size_t end = first + 1;
        while (end < totals.size() && limits_[at(totals[end] - 1)] <= nearly * limits_[at(totals[first] - 1)])
            ++end;
        addWithin(terms, limits_[at(totals[end - 1] - 1)],
                  {totals.begin() + static_cast<std::ptrdiff_t>(first),
                   totals.begin() + static_cast<std::ptrdiff_t>(end)});
        first = end;
    }
    for (int stages = maxStages() - 1; stages >= 1; --stages)
        limits_[at(stages - 1)] = std::max(limits_[at(stages - 1)], limits_[at(stages)]);
}

void PartitionBands::addWithin(const PartitionTerms& terms, double limit, const std::vector<int>& totals) {
    const int most = *std::max_element(totals.begin(), totals.end());
    const Least least(terms, limit, most);
    for (int stages = 1; stages <= most; ++stages)
        for (int layers = stages; layers <= terms.layers(); ++layers) {
            int after = devices_ + 1;
            for (const int total : totals)
                if (total >= stages) after = std::min(after, least.after(total - stages, layers));
            add(stages, layers, least.before(stages, layers), devices_ - after);
        }
}

void PartitionBands::add(int stages, int layers, int fewest, int most) {
    for (int devices = fewest; devices <= most; ++devices) {
        Layers& known = layers_[index(stages, devices)];
        if (known.count() == 0)
            known = {layers, layers};
        else
            known = {std::min(known.first, layers), std::max(known.last, layers)};
    }
}

}  // namespace stagecraft::planners
