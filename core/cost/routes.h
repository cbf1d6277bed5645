#pragma once

#include "core/cost/interconnect.h"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace stagecraft::cost {

/// The routes between devices (Interconnect::route), each worked out once, those of one search after one. For
/// one thread; it refers to the interconnect.
class Routes {
public:
    explicit Routes(const Interconnect& interconnect)
        : interconnect_(interconnect), pairwise_(interconnect.pairwiseSearch()) {}

    /// From one device to another; empty from a device to itself and where there is no path. It stays valid.
    const std::vector<LinkStep>& between(int from, int to);
    /// The same for whoever asks for each of very many pairs once: it stays valid until the next call, and is
    /// not kept where finding it anew takes no longer.
    /// @param way to go by that link alone (RankHop::way); -1: along the widest path
    const std::vector<LinkStep>& onceBetween(int from, int to, int way = -1);

private:
    const Interconnect::Ways& waysOf(const Interconnect::Search& search);

    const Interconnect& interconnect_;
    ShortestWays pairwise_;
    std::vector<LinkStep> once_;
    std::unordered_map<std::uint64_t, std::vector<LinkStep>> routes_;  // by both ends
    std::map<Interconnect::Search, Interconnect::Ways> ways_;
};

}  // namespace stagecraft::cost
