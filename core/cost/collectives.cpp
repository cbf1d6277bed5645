#include "core/cost/collectives.h"

#include <bit>

namespace stagecraft::cost {

namespace {

/// Levels of a tree with so many nodes, but for the root.
int levelsOf(int ranks) { return std::bit_width(static_cast<unsigned>(ranks) - 1); }

}  // namespace

const char* algorithmText(CollectiveAlgorithm algorithm) {
    switch (algorithm) {
        case CollectiveAlgorithm::ring:
            return "in a ring";
        case CollectiveAlgorithm::rings:
            return "in a ring on each network card";
        case CollectiveAlgorithm::laidRings:
            return "in rings along their links";
        case CollectiveAlgorithm::tree:
            return "in two trees";
        case CollectiveAlgorithm::inSwitch:
            return "in the switch";
        case CollectiveAlgorithm::eachToEach:
            return "each to each";
    }
    return "";
}

const char* algorithmWord(CollectiveAlgorithm algorithm) {
    switch (algorithm) {
        case CollectiveAlgorithm::ring:
            return "ring";
        case CollectiveAlgorithm::rings:
        case CollectiveAlgorithm::laidRings:
            return "rings";
        case CollectiveAlgorithm::tree:
            return "trees";
        case CollectiveAlgorithm::inSwitch:
            return "switch";
        case CollectiveAlgorithm::eachToEach:
            return "all to all";
    }
    return "";
}

CollectiveCost sentInSteps(const Collectives& collectives, const CollectiveRanks& ranks, double startS,
                           int steps, CollectiveAlgorithm algorithm) {
    return {collectives.ringBytes, collectives.count * (startS + steps * ranks.latencyS), ranks.bandwidthBps,
            algorithm};
}

CollectiveCost fastestCollectives(const Collectives& collectives, const CollectiveRanks& ranks,
                                  double startS) {
    const int n = ranks.count, once = n - 1;
    const auto ringsAre = ranks.laidBps > 0    ? CollectiveAlgorithm::laidRings
                          : ranks.severalRings ? CollectiveAlgorithm::rings
                                               : CollectiveAlgorithm::ring;
    CollectiveCost best =
        sentInSteps(collectives, ranks, startS, collectives.areSums ? 2 * once : once, ringsAre);
    if (ranks.laidBps > 0) best.bandwidthBps = ranks.laidBps;
    if (n < 2) return best;
    const auto take = [&](double bytes, int steps, CollectiveAlgorithm algorithm) {
        const CollectiveCost other =
            sentInSteps({collectives.count, bytes, collectives.areSums}, ranks, startS, steps, algorithm);
        if (other.seconds() < best.seconds()) best = other;
    };
    const double whole = collectives.ringBytes * n / (2.0 * once);  // of sums
    if (collectives.areSums) take(2 * whole, 2 * levelsOf(n), CollectiveAlgorithm::tree);
    if (ranks.switchSums)
        take(collectives.areSums ? whole : collectives.ringBytes, 1, CollectiveAlgorithm::inSwitch);
    return best;
}

}  // namespace stagecraft::cost
