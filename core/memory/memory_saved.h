#pragma once

#include "core/memory/memory.h"

#include <memory>
#include <vector>

namespace stagecraft::memory {

/// What swap and recompute keep out of one device's memory over time, as steps. The measure is the same
/// timeline with every activation kept: a microbatch in flight then holds all of its stage's activations from
/// the start of its forward to the end of its backward, and swap and recompute blocks change nothing. At each
/// instant held + bySwap + byRecompute is what the device would hold then.
/// - bySwap: activations that are on the host or another device alone, from the end of a swap-out to the
/// start
///   of its swap-in. Below 0 on the device that holds another's for it.
/// - byRecompute: activations that were not kept, less the stage's input that is held in their stead, from
/// the
///   start of a forward to the start of its recompute block. Below 0 where the input is the larger.
struct SavedMemory {
    std::vector<double> timeS;  ///< of all changes of any of the three; empty if nothing is ever saved
    std::vector<double> held;   ///< the total of the device's MemoryCurve
    std::vector<double> bySwap;
    std::vector<double> byRecompute;

    double keptAt(std::size_t step) const { return held[step] + bySwap[step] + byRecompute[step]; }
    std::size_t stepAt(double timeS_) const;  ///< the step that holds at that instant
    double mostBySwap() const;                ///< at any instant; 0 if nothing is saved
    double mostByRecompute() const;
    double keptPeakBytes() const;  ///< the most that the device would hold with every activation kept
};

/// Whether anything is swapped, evicted or recomputed.
bool savesMemory(const Plan& plan, const Timeline& timeline);

/// By device. Devices that hold the same share one.
using SavedMemories = std::vector<std::shared_ptr<const SavedMemory>>;

/// One for each of `curves`, which are those of the plan's timeline; never null.
SavedMemories savedMemory(const CostModel& costs, const Plan& plan, const SharedStageEdges& edges,
                          const Timeline& timeline, const std::vector<MemoryCurve>& curves);

}  // namespace stagecraft::memory
