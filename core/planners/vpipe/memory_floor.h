#pragma once

#include "core/planners/vpipe/round.h"

#include <vector>

namespace stagecraft::planners::vpipe {

/// What a device cannot hold less than, whenever transfers and swaps run: what follows from the order of its
/// blocks alone. In 1F1B r = p - s microbatches are in flight on stage s (at most M under a barrier) once a
/// forward has started, and still when the next backward does. Kept layers are there r times, and so is the
/// stage's input where something is recomputed; of swapped layers, and under the backward of recomputed ones,
/// the microbatch at work is there. Weights stay with their gradients and state, under PipeDream in r
/// versions.
class MemoryFloor {
public:
    /// @param costs under the plan's own setup
    MemoryFloor(const CostModel& costs, const Settings& settings, int stages);

    int stageCount() const { return stages_; }
    int layerCount() const { return costs_.layerCount(); }
    bool canSwap(int stage) const;

    /// Bytes of layers first..first + ops.size() - 1, treated so.
    double bytes(int stage, int first, const LayerOps& ops) const;
    /// bytes(), least over all choices, of layers first..last for last = first, first + 1, … in ascending
    /// order: calls visit(last, bytes) until that is false.
    template <typename Visit>
    void eachLeast(int stage, int first, Visit visit) const;

    /// Bytes beyond the device's limit; what may be rounding is not.
    double excess(int stage, double bytes) const {
        return bytes - costs_.problem().memoryLimitBytes(stage) * (1 + 1e-9);
    }

private:
    int inFlight(int stage) const;
    double staticBytes(int stage, int first, int last) const;
    double leastBytes(int stage, int first, int last, double inputBytes) const;

    const CostModel& costs_;
    bool stashes_;
    int stages_;
    std::vector<std::vector<int>> readBy_;  ///< by layer: the layers whose outputs it reads
};

template <typename Visit>
void MemoryFloor::eachLeast(int stage, int first, Visit visit) const {
    std::vector<bool> isInput(static_cast<std::size_t>(first), false);
    double inputBytes = 0;
    for (int last = first; last < layerCount(); ++last) {
        for (const int from : readBy_[static_cast<std::size_t>(last)]) {
            if (from >= first || isInput[static_cast<std::size_t>(from)]) continue;
            isInput[static_cast<std::size_t>(from)] = true;
            inputBytes += costs_.problem().profile.layers[static_cast<std::size_t>(from)].outputBytes;
        }
        if (!visit(last, leastBytes(stage, first, last, inputBytes))) return;
    }
}

}  // namespace stagecraft::planners::vpipe
