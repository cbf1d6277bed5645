#pragma once

#include "core/cost/interconnect.h"

#include <map>
#include <utility>
#include <vector>

namespace stagecraft::cost {

/// The routes between devices (Interconnect::route), each worked out once, those of one search after one. For
/// one thread; it refers to the interconnect.
class Routes {
public:
    explicit Routes(const Interconnect& interconnect) : interconnect_(interconnect) {}

    /// From one device to another; empty from a device to itself and where there is no path. It stays valid.
    const std::vector<LinkStep>& between(int from, int to);

private:
    const Interconnect::Ways& waysOf(const Interconnect::Search& search);

    const Interconnect& interconnect_;
    std::map<std::pair<int, int>, std::vector<LinkStep>> routes_;
    std::map<Interconnect::Search, Interconnect::Ways> ways_;
};

}  // namespace stagecraft::cost
