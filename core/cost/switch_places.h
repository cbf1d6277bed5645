#pragma once

#include "core/cost/widest_paths.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace stagecraft::cost {

/// The switches of a network and their links of a bandwidth or more; those that are no seconds apart are one
/// place.
class SwitchPlaces {
public:
    /// Places (or switches) with the seconds until or between them.
    using Ways = std::vector<std::pair<int, double>>;

    /// @param hops by node, of which the first `devices` are no switches
    SwitchPlaces(const NetworkHops& hops, std::size_t devices, double widthBps);

    const Ways& waysFrom(int place) const { return ways_[static_cast<std::size_t>(place)]; }
    /// Of links to switches the same by place, of which each has the quickest.
    Ways placesOf(const Ways& switches) const;
    /// Seconds by place, from places with the seconds until there; infinity where none leads.
    std::vector<double> reachOf(const Ways& from) const;

private:
    std::vector<int> placeOf_;  ///< by node
    std::vector<Ways> ways_;
    int count_ = 0;
};

}  // namespace stagecraft::cost
