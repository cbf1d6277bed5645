#pragma once

#include "core/memory/memory.h"

#include <cstdint>
#include <vector>

namespace stagecraft::analysis {

/// What happens at one instant of a timeline.
struct Instant {
    struct DeviceState {
        std::uint32_t computes = noBlock;  ///< the block that runs on it
        double heldBytes = 0;              ///< of all kinds
        double transientBytes = 0;         ///< activations and buffers among them: what comes and goes
    };
    double timeS = 0;
    std::vector<DeviceState> devices;   ///< by index into Cluster::devices
    std::vector<std::uint32_t> moving;  ///< transfers, AllReduces and swaps under way, by lane
};

/// Looks up instants of a timeline, at a cost that grows with the lanes and hardly with the blocks. A block
/// runs from its start until just before its end. Holds references: timeline and curves must outlive it.
class Playback {
public:
    Playback(const Timeline& timeline, const std::vector<MemoryCurve>& memory);

    Instant at(double timeS) const;
    /// The block of the lane that runs at `timeS`, or noBlock.
    std::uint32_t running(const Lane& lane, double timeS) const;
    /// How much of a block that runs is over, from 0 to 1.
    double progress(std::uint32_t block, double timeS) const;

private:
    const Timeline& timeline_;
    const std::vector<MemoryCurve>& memory_;
};

}  // namespace stagecraft::analysis
