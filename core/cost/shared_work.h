#pragma once

#include <vector>

namespace stagecraft::cost {

/// What devices of several kinds can do together, at best.
struct SharedWork {
    std::vector<double> leastS;  ///< by item: what it weighs
    std::vector<double> worth;   ///< by kind: how much of that a device of it does in a second, at most
};

/// Weights of items of which no kind of device does more than `worth` in a second, so that devices take at
/// least the sum of the weights over the sum of their worth for all of them, however items are cut and shared
/// out: the dual of that linear program. Where each kind is as many times as fast for all items the weights
/// are the first kind's seconds. Any weights that come of it are valid; it looks for those that say most, one
/// kind after the other.
/// @param seconds by kind, of each item @param devices by kind, how many there are; at least one in all
SharedWork sharedWork(const std::vector<std::vector<double>>& seconds, const std::vector<double>& devices);

}  // namespace stagecraft::cost
