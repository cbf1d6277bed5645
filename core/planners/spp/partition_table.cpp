#include "core/planners/spp/partition_table.h"

#include "core/base/indices.h"
#include "core/planners/planning.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace stagecraft::planners {
namespace {

/// Rows are padded to a multiple of this many numbers.
inline constexpr std::size_t partitionLanes = 8;

/// out[k] = min over rows q of max(rows[q * stride + k], bytes[k] * perByte[q] + fixed[q]) for k < stride, a
/// multiple of partitionLanes. Nine tenths of PRM's time. The same bits on every machine.
STAGECRAFT_CLONES
void relaxOverSenders(const double* rows, std::size_t stride, int count, const double* bytes,
                      const double* perByte, const double* fixed, double* out) {
    for (std::size_t block = 0; block < stride; block += partitionLanes) {
        double least[partitionLanes], size[partitionLanes];
        for (std::size_t k = 0; k < partitionLanes; ++k) {
            least[k] = std::numeric_limits<double>::infinity();
            size[k] = bytes[block + k];
        }
        const double* values = rows + block;
        for (int sender = 0; sender < count; ++sender, values += stride)
            for (std::size_t k = 0; k < partitionLanes; ++k) {
                const double product = size[k] * perByte[sender];
                const double transfer = product + fixed[sender];
                const double worst = transfer > values[k] ? transfer : values[k];
                least[k] = worst < least[k] ? worst : least[k];
            }
        for (std::size_t k = 0; k < partitionLanes; ++k) out[block + k] = least[k];
    }
}

std::size_t padded(int count) {
    return (static_cast<std::size_t>(count) + partitionLanes - 1) / partitionLanes * partitionLanes;
}
}  // namespace

PartitionTable::PartitionTable(const CostModel& costs, std::vector<int> order, int maxStages,
                               const WorkContext& context)
    : order_(std::move(order)), terms_(costs, order_) {
    const int last = std::min({maxStages, terms_.layers(), terms_.devices()});
    levels_.reserve(static_cast<std::size_t>(last));
    levels_.push_back(emptyLevel(1));
    fillFirst(levels_.back());
    Scratch scratch;
    std::vector<double> bytes;
    for (int stages = 2; stages <= last; ++stages) {
        levels_.push_back(emptyLevel(stages));
        Level& level = levels_.back();
        const Level& previous = levels_[levels_.size() - 2];
        // l' runs from stages - 1, as the rows of the previous level do; its entry l' = L is not used here.
        bytes.assign(terms_.bytes() + previous.stages, terms_.bytes() + terms_.layers());
        bytes.resize(previous.stride, 0);
        scratch.below.assign(previous.stride, infinity);
        for (int split = stages - 1; split < terms_.devices(); ++split) {
            context.throwIfStopped();
            const double* rows = &previous.values[row(previous, 1, split)];
            // The last level is asked about all devices alone.
            const int fewest = stages == last ? terms_.devices() - split : 1;
            for (int replicas = fewest; replicas <= terms_.devices() - split; ++replicas) {
                relaxOverSenders(rows, previous.stride, split - previous.stages + 1, bytes.data(),
                                 terms_.perByte(replicas, split), terms_.fixed(replicas, split),
                                 scratch.below.data());
                fillRow(level, replicas, split, scratch);
            }
        }
        context.report(double(stages) / last);
    }
}

double PartitionTable::bytes(int layers, int devices, int maxStages) {
    double numbers = 0;
    for (int stages = 1; stages <= std::min({maxStages, layers, devices}); ++stages) {
        const double before = devices - stages + 1;
        numbers += before * (before + 1) / 2 * static_cast<double>(padded(layers - stages + 1));
    }
    return numbers * sizeof(double);
}

PartitionTable::Level PartitionTable::emptyLevel(int stages) const {
    Level level;
    level.stages = stages;
    level.stride = padded(terms_.layers() - stages + 1);
    level.values.assign(row(level, 1, terms_.devices() + 1), infinity);
    return level;
}

void PartitionTable::fillFirst(Level& level) const {
    for (int devices = 1; devices <= terms_.devices(); ++devices) {
        double* values = &level.values[row(level, devices, devices)];
        for (int layers = 1; layers <= terms_.layers(); ++layers)
            values[layers - 1] = terms_.load(layers, devices, devices);
    }
}

void PartitionTable::fillRow(Level& level, int replicas, int split, Scratch& scratch) const {
    const int first = level.stages - 1;  // the least l'
    const int end = split + replicas;
    double* values = &level.values[row(level, replicas, end)];
    const int count = terms_.layers() - first;
    scratch.load.resize(static_cast<std::size_t>(count) + 1);
    scratch.window.resize(static_cast<std::size_t>(count));
    // Indices count from l' = first. window[front..back) keeps the l' of [a, l) whose G is below all G after
    // them.
    const double* below = scratch.below.data();
    double* load = scratch.load.data();
    int* window = scratch.window.data();
    for (int k = 0; k <= count; ++k) load[k] = terms_.load(first + k, replicas, end);
    int front = 0, back = 0, a = 0;
    for (int l = 1; l <= count; ++l) {
        while (back > front && below[window[back - 1]] >= below[l - 1]) --back;
        window[back++] = l - 1;
        double lowest = below[window[front]];  // H(a)
        while (a < l && lowest < load[l] - load[a]) {
            ++a;
            if (window[front] < a) ++front;
            lowest = front < back ? below[window[front]] : infinity;
        }
        values[l - 1] = std::min(lowest, a > 0 ? load[l] - load[a - 1] : infinity);
    }
}

double PartitionTable::value(int layers, int stages, int replicas, int devices) const {
    const bool possible = stages >= 1 && stages <= maxStages() && layers >= stages &&
                          layers <= terms_.layers() && devices <= terms_.devices() && replicas >= 1 &&
                          devices - replicas >= stages - 1;
    if (!possible) return infinity;
    const Level& level = levels_[static_cast<std::size_t>(stages - 1)];
    return level.values[row(level, replicas, devices) + static_cast<std::size_t>(layers - stages)];
}

double PartitionTable::best(int stages) const {
    double least = infinity;
    for (int replicas = 1; replicas <= terms_.devices(); ++replicas)
        least = std::min(least, value(terms_.layers(), stages, replicas, terms_.devices()));
    return least;
}

PartitionTable::Prefix PartitionTable::bestPrefix(int layers, int stages, int devices, int receivers) const {
    const auto secondsWith = [&](int replicas) {
        return std::max(value(layers, stages, replicas, devices),
                        terms_.transfer(layers, replicas, receivers, devices));
    };
    Prefix best{layers, 1, secondsWith(1)};
    const int most = devices - stages + 1;
    for (int replicas = 2; replicas <= most; ++replicas)
        best.seconds = std::min(best.seconds, secondsWith(replicas));
    while (best.replicas < most && betterObjective(best.seconds, secondsWith(best.replicas))) ++best.replicas;
    return best;
}

PartitionTable::Prefix PartitionTable::predecessor(int layers, int stages, int replicas, int devices) const {
    std::vector<Prefix> prefixes;
    double least = infinity;
    const auto secondsWith = [&](const Prefix& prefix) {
        return std::max(prefix.seconds, terms_.stage(prefix.layers, layers, replicas, devices));
    };
    for (int from = stages - 1; from < layers; ++from) {
        prefixes.push_back(bestPrefix(from, stages - 1, devices - replicas, replicas));
        least = std::min(least, secondsWith(prefixes.back()));
    }
    return *std::find_if(prefixes.begin(), prefixes.end(),
                         [&](const Prefix& prefix) { return !betterObjective(least, secondsWith(prefix)); });
}

std::vector<Stage> PartitionTable::partition(int stages) const {
    int layers = terms_.layers(), devices = terms_.devices(), replicas = 1;
    while (betterObjective(best(stages), value(layers, stages, replicas, devices))) ++replicas;

    std::vector<Stage> reversed;
    for (; stages > 1; --stages) {
        const Prefix before = predecessor(layers, stages, replicas, devices);
        const int split = devices - replicas;
        reversed.push_back({before.layers, layers - 1, {order_.begin() + split, order_.begin() + devices}});
        layers = before.layers;
        devices = split;
        replicas = before.replicas;
    }
    reversed.push_back({0, layers - 1, {order_.begin(), order_.begin() + devices}});
    std::reverse(reversed.begin(), reversed.end());
    return reversed;
}

}  // namespace stagecraft::planners
