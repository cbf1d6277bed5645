#pragma once

#include "core/cost/collectives.h"
#include "core/cost/interconnect.h"

#include <vector>

namespace stagecraft::cost {

/// What one rank sends to another.
struct RankHop {
    int from = 0, to = 0;
    double bytes = 0;
    /// Along this one alone: twice the link, 1 more from Link::b to Link::a; -1: along the widest path.
    int way = -1;
};

/// What goes where in a collective, so that each link carries what is counted (CollectiveCost):
/// - a ring: each rank sends all of its bytes to the next;
/// - several: as many as the server with fewest of the ranks has of them, server by server, each beginning
///   with another rank of every server, so that each enters and leaves over other cards;
/// - laid along links: round each in both directions, by their rates; of links side by side by theirs;
/// - two trees (Sanders, Speck and Traeff, 2009): half of the tensor up and down each, in the second those
///   that hand on in the first are leaves; where rings are several, so are trees;
/// - in the switch: to the next, as the way there is up to the switch and down from it;
/// - each to each: evenly.
/// @param ranks in order; @param severalRings CollectiveRanks::severalRings; @param bytes that each rank
/// sends, as CollectiveCost has them
std::vector<RankHop> collectiveHops(CollectiveAlgorithm algorithm, const std::vector<int>& ranks,
                                    const Interconnect& net, bool severalRings, double bytes);

}  // namespace stagecraft::cost
