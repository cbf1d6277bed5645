#pragma once

#include <vector>

namespace stagecraft::validation {

/// A closed way through some places, and how much goes along it in each direction.
struct RingRate {
    std::vector<int> order;  ///< from the first place on
    double widthBps = 0;
};

/// As much as can go round at once where each pair of places is joined as wide as that, in both directions:
/// the greatest sum over all closed ways; among those that reach it the first way, as a list of places, has
/// the most that it can have, then the second, and so on. Ways with nothing are left out.
/// @param sumAlone any of those that reach it, which is found sooner
std::vector<RingRate> ringRates(const std::vector<std::vector<double>>& widthsBps, bool sumAlone = false);

}  // namespace stagecraft::validation
