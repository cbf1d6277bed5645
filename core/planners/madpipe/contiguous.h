#pragma once

#include "core/planners/madpipe/allocation.h"

namespace stagecraft::planners {

/// Stages of a contiguous allocation by the least of the largest: of a period or of a memory.
struct ContiguousPartition {
    double value = std::numeric_limits<double>::infinity();  ///< seconds or bytes; infinity: there is none
    std::vector<MadPipeStage> stages;

    bool found() const { return !stages.empty(); }
};

/// Into at most P stages, each with the batches that 1F1B* needs at that period, so that the stage that needs
/// most memory needs least.
ContiguousPartition leanestPartition(const MadPipeChain& chain, int processors, double periodS);

/// The least period of any partition into at most P stages that 1F1B* runs within the memory, with the
/// partition that reaches it: the best that a contiguous plan can do (Proposition 1).
/// @throws Cancelled
ContiguousPartition fastestPartition(const MadPipeChain& chain, int processors, double memoryBytes,
                                     const WorkContext& context = {});

/// PipeDream's partition as MadPipe Sec. 5 compares it: the slowest stage or transfer is fastest, without
/// replication, if a stage with j processors from its own to the last stores j batches. If that fits nowhere
/// the memory is ignored and `checked` is false.
struct PipeDreamBaseline {
    ContiguousPartition partition;
    bool checked = true;
};
PipeDreamBaseline pipeDreamBaseline(const MadPipeChain& chain, int processors, double memoryBytes);

/// The least period at which 1F1B* runs the stages within the memory, or infinity.
double starPeriodS(const MadPipeChain& chain, const std::vector<MadPipeStage>& stages, double memoryBytes);

}  // namespace stagecraft::planners
