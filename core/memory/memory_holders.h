#pragma once

#include "core/memory/memory_rules.h"
#include "core/weights/weight_stash.h"

#include <vector>

namespace stagecraft::memory {

/// Something that is in a device's memory at an instant.
struct MemoryHolder {
    MemoryKind kind = MemoryKind::activations;
    double bytes = 0;
    int stage = 0;        ///< whose; of a transfer's buffer, the one that sends
    int iteration = -1;   ///< activations and transfer buffers: the mini-batch; else -1
    int microbatch = -1;  ///< the same
    int version = -1;     ///< of weights that are kept beside the newest; -1: not distinguished
    bool predicted = false;
    /// Activations: what swap and recompute keep of this microbatch out of memory at the instant; below 0
    /// what is held here for another device. A microbatch of which nothing is left in memory is listed with
    /// 0 bytes.
    double savedBySwap = 0;
    double savedByRecompute = 0;
    /// The block that took it last: a forward, recompute or swap-in; the transfer of a buffer; the update
    /// that made a version. noBlock: there from the beginning, or predicted.
    std::uint32_t block = noBlock;
};

/// What is alive on a device at an instant. Refers to what it was made of.
class MemoryLedger {
public:
    /// @param edges of the plan
    MemoryLedger(const CostModel& costs, const Plan& plan, SharedStageEdges edges, const Timeline& timeline);

    /// By kind, stage, mini-batch, microbatch and version. The bytes add up to the device's MemoryCurve at
    /// `timeS`, kind by kind. Walks through the device's blocks up to then.
    std::vector<MemoryHolder> holders(int device, double timeS) const;

private:
    class Instant;

    const CostModel& costs_;
    const Plan& plan_;
    const Timeline& timeline_;
    MemoryRules rules_;
    std::vector<StashedVersion> stashed_;
};

}  // namespace stagecraft::memory
