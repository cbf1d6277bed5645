#pragma once

#include "core/memory/block_bytes.h"
#include "core/memory/memory.h"

#include <array>
#include <string>
#include <vector>

namespace stagecraft::analysis {

/// What blocks of one kind do within a range of time.
struct KindTotals {
    double seconds = 0;        ///< of their time that is within
    std::uint32_t blocks = 0;  ///< that are within, in whole or in part
    double bytes = 0;          ///< moved; of a block that is within in part the same part of its bytes
};

struct DeviceRange {
    int device = 0;  ///< index into Cluster::devices
    /// By BlockKind; of communication the transfers, AllReduces and swaps in which the device takes part.
    std::array<KindTotals, blockKindCount> kinds{};
    double busyS = 0;  ///< it computes, recomputation included
    double idleS = 0;  ///< the rest of the range
    double bytes = 0;  ///< that it sends and receives
    double meanMemoryBytes = 0;
    double mostMemoryBytes = 0;
    double mostMemoryAtS = 0;  ///< the first instant of it within the range

    double busyShare() const { return busyS + idleS > 0 ? busyS / (busyS + idleS) : 0; }
};

/// What happens from `fromS` to `toS`, in seconds. A block that begins before or ends after counts with the
/// part that is within; as a number of blocks it counts as one. What takes no time counts if it is at fromS
/// or later and before toS, or at the end of the timeline.
struct RangeStatistics {
    double fromS = 0;
    double toS = 0;
    std::vector<DeviceRange> devices;                ///< that hold a stage, in the order of their lanes
    std::array<KindTotals, blockKindCount> kinds{};  ///< of all lanes, a block on each of its lanes
    std::uint32_t blocks = 0;

    double lengthS() const { return toS - fromS; }
};

/// @param memory one curve for each device, as memoryCurves gives them
RangeStatistics rangeStatistics(const BlockBytes& bytes, const Timeline& timeline,
                                const std::vector<MemoryCurve>& memory, double fromS, double toS);
/// The same of a recording, of which bytes are not known. A device without passes is busy while something
/// runs on one of its streams. @param memory may be empty
RangeStatistics rangeStatistics(const Timeline& timeline, const std::vector<MemoryCurve>& memory,
                                double fromS, double toS);

/// How many blocks rangeStatistics has to look at.
std::uint32_t blocksInRange(const Timeline& timeline, double fromS, double toS);

/// One row per device and one of the whole: device, from_s, to_s, busy_share, busy_s, idle_s, a column of
/// seconds for each kind that there is, blocks, bytes, mean_memory_bytes, most_memory_bytes,
/// most_memory_at_s.
std::string rangeCsv(const RangeStatistics& range, const Cluster& cluster);

}  // namespace stagecraft::analysis
