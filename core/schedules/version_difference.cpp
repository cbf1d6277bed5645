#include "core/schedules/version_difference.h"

#include <cmath>

namespace stagecraft::schedules {

namespace {

/// numerator / denominator rounded, ties to the even integer.
int roundHalfEven(int numerator, int denominator) {
    const int below = static_cast<int>(std::floor(static_cast<double>(numerator) / denominator));
    const int twiceRest = 2 * (numerator - below * denominator);
    if (twiceRest == denominator) return below + (below % 2 == 0 ? 0 : 1);
    return twiceRest > denominator ? below + 1 : below;
}

}  // namespace

int printedForwardDifference(int size, int rank, int microbatches) {
    // (size + T - rank/2 - 2) / T, doubled to stay in integers.
    return roundHalfEven(2 * (size + microbatches - 2) - rank, 2 * microbatches);
}

int printedBackwardDifference(int rank, int microbatches) {
    return roundHalfEven(microbatches + rank / 2 - 1, microbatches);
}

int exactForwardDifference(int size, int rank, int microbatches) {
    const int ahead = size - rank - 1;
    return (ahead + microbatches - 1) / microbatches + rank / (2 * microbatches);
}

int exactBackwardDifference(int rank, int microbatches) { return rank / (2 * microbatches); }

}  // namespace stagecraft::schedules
