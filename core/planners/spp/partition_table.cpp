#include "core/planners/spp/partition_table.h"

#include "core/base/indices.h"
#include "core/planners/planning.h"

#include <algorithm>
#include <bit>

namespace stagecraft::planners {

namespace {

/// Multiples of `step`, and the last.
std::vector<int> placesAt(int step, int devices) {
    std::vector<int> places;
    for (int place = step; place < devices; place += step) places.push_back(place);
    places.push_back(devices);
    return places;
}

/// W of each number of stages up to `most`: coarse partitions, whose stages have whole groups of devices, say
/// what finer ones need not exceed.
std::unique_ptr<const PartitionFronts> frontsOfPartitions(const PartitionTerms& terms, int most,
                                                          const WorkContext& context) {
    int step = 1;
    while (terms.devices() / (2 * step) >= most) step *= 2;
    std::vector<double> limits(at(most), infinity);
    const double passes = std::bit_width(static_cast<unsigned>(step));
    for (int pass = 0;; ++pass) {
        const PartitionBands bands(terms, limits);
        auto fronts = std::make_unique<PartitionFronts>(terms, bands, placesAt(step, terms.devices()),
                                                        part(context, pass / passes, (pass + 1) / passes));
        if (step == 1) return fronts;
        for (int stages = 1; stages <= most; ++stages)
            limits[at(stages - 1)] = std::min(limits[at(stages - 1)], fronts->best(stages));
        step /= 2;
    }
}

}  // namespace

PartitionTable::PartitionTable(const CostModel& costs, std::vector<int> order, int maxStages,
                               const WorkContext& context, Extent extent)
    : order_(std::move(order)), terms_(costs, order_) {
    const int last = std::min({maxStages, terms_.layers(), terms_.devices()});
    if (extent == Extent::partitions)
        fronts_ = frontsOfPartitions(terms_, last, context);
    else
        fronts_ = std::make_unique<PartitionFronts>(terms_, PartitionBands(terms_, last),
                                                    placesAt(1, terms_.devices()), context);
}

PartitionTable::Effort PartitionTable::effort(int layers, int devices, int maxStages) {
    constexpr double secondsPerState = 5e-9;
    double entries = 0, states = 0;
    for (int stages = 1; stages <= std::min({maxStages, layers, devices}); ++stages) {
        const double own = double(devices - stages + 1) * (layers - stages + 1);
        entries += own;
        states += own * (devices - stages + 2) / 2;
    }
    return {PartitionTerms::bytes(layers, devices) + entries * PartitionFronts::bytesPerEntry +
                double(devices) * layers * sizeof(double),
            states * secondsPerState};
}

double PartitionTable::value(int layers, int stages, int replicas, int devices) const {
    const bool possible = stages >= 1 && stages <= maxStages() && layers >= stages &&
                          layers <= terms_.layers() && devices <= terms_.devices() && replicas >= 1 &&
                          devices - replicas >= stages - 1;
    return possible ? fronts_->value(layers, stages, replicas, devices) : infinity;
}

bool PartitionTable::reaches(double seconds, int layers, int stages, int replicas, int devices) const {
    if (stages > 1 && betterObjective(seconds, terms_.stage(layers - 1, layers, replicas, devices)))
        return false;  // its last layer alone takes longer
    return !betterObjective(seconds, value(layers, stages, replicas, devices));
}

PartitionTable::Prefix PartitionTable::predecessor(int layers, int stages, int replicas, int devices) const {
    const int split = devices - replicas;
    const PartitionBands::Layers before = fronts_->layers(stages - 1, split);
    std::vector<Prefix> prefixes;
    double least = infinity;
    const auto secondsWith = [&](const Prefix& prefix) {
        return std::max(prefix.seconds, terms_.stage(prefix.layers, layers, replicas, devices));
    };
    for (int from = before.first; from <= std::min(before.last, layers - 1); ++from) {
        prefixes.push_back({from, 1, fronts_->leastBefore(from, stages - 1, split, replicas)});
        least = std::min(least, secondsWith(prefixes.back()));
    }
    Prefix found = *std::find_if(prefixes.begin(), prefixes.end(), [&](const Prefix& prefix) {
        return !betterObjective(least, secondsWith(prefix));
    });
    const auto isAsGood = [&](int senders) {
        return !betterObjective(found.seconds, terms_.transfer(found.layers, senders, replicas, split)) &&
               reaches(found.seconds, found.layers, stages - 1, senders, split);
    };
    while (found.replicas < split - stages + 2 && !isAsGood(found.replicas)) ++found.replicas;
    return found;
}

std::vector<Stage> PartitionTable::partition(int stages) const {
    int layers = terms_.layers(), devices = terms_.devices(), replicas = 1;
    while (!reaches(best(stages), layers, stages, replicas, devices)) ++replicas;

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
