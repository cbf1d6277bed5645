#include "core/analysis/playback.h"

#include <algorithm>

namespace stagecraft::analysis {

namespace {

double bytesAt(const MemoryCurve& curve, MemoryKind kind, std::size_t step) {
    return curve.bytes()[static_cast<std::size_t>(kind)][step];
}

}  // namespace

Playback::Playback(const Timeline& timeline, const std::vector<MemoryCurve>& memory)
    : timeline_(timeline), memory_(memory) {}

std::uint32_t Playback::running(const Lane& lane, double timeS) const {
    const auto begin = timeline_.startS.begin() + lane.firstBlock;
    const auto end = timeline_.startS.begin() + lane.endBlock;
    const auto after = std::upper_bound(begin, end, timeS);
    std::uint32_t block = static_cast<std::uint32_t>(after - timeline_.startS.begin());
    // A lane carries one block at a time: only what takes no time can be after one that still runs.
    while (block > lane.firstBlock) {
        --block;
        if (timeline_.endS[block] > timeS) return block;
        if (timeline_.endS[block] > timeline_.startS[block]) break;
    }
    return noBlock;
}

double Playback::progress(std::uint32_t block, double timeS) const {
    const double lasts = timeline_.durationS(block);
    return lasts > 0 ? std::clamp((timeS - timeline_.startS[block]) / lasts, 0.0, 1.0) : 1;
}

Instant Playback::at(double timeS) const {
    Instant instant;
    instant.timeS = timeS;
    instant.devices.resize(memory_.size());
    for (const Lane& lane : timeline_.lanes) {
        const std::uint32_t block = running(lane, timeS);
        if (block == noBlock) continue;
        if (lane.kind == LaneKind::compute) {
            for (const int device : lane.devices)
                instant.devices[static_cast<std::size_t>(device)].computes = block;
        } else {
            instant.moving.push_back(block);
        }
    }
    for (const MemoryCurve& curve : memory_) {
        if (curve.timeS().empty()) continue;
        Instant::DeviceState& state = instant.devices[static_cast<std::size_t>(curve.device)];
        const std::size_t step = curve.stepAt(timeS);
        state.heldBytes = curve.totalAt(step);
        state.transientBytes =
            bytesAt(curve, MemoryKind::activations, step) + bytesAt(curve, MemoryKind::buffers, step);
    }
    return instant;
}

}  // namespace stagecraft::analysis
