#pragma once

#include <vector>

namespace stagecraft::cost {

/// A ring through all of some ranks, along links between neighbours.
struct LaidRing {
    std::vector<int> order;  ///< places among the ranks, the first of them first, the second before the last
    double bps = 0;          ///< that each rank sends in either direction
};

/// Rings that go at the same time.
struct RingPacking {
    std::vector<LaidRing> rings;
    /// What each rank sends a second in all rings, both ways round; 0: there are none.
    double bps() const;
};

/// The rings that libraries lay along the links of a board: NCCL searches the graph of its links for as many
/// rings through all GPUs as these carry (NVIDIA, NCCL, src/graph/search.cc). MODEL.md and PARALLELISM.md are
/// silent on it. Links are full duplex, so that a ring goes both ways round, each at the same rate. Of all
/// ways to give each ring through all ranks a rate, so that no link carries more than its bandwidth, that
/// with the largest sum; of several such that in which the first ring has most, then the second, and so on,
/// in the order of their ranks' places. Rates may be any part of a link's, as boards join GPUs by several.
/// @param widthsBps by place and place: of all links between two, the same both ways, 0 where there are none;
/// in bytes per second, one way; of at most mostPackedRanks, as rings are as many as orders
inline constexpr int mostPackedRanks = 8;
RingPacking packedRings(const std::vector<std::vector<double>>& widthsBps);

}  // namespace stagecraft::cost
