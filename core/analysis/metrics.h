#pragma once

#include "core/analysis/link_load.h"
#include "core/memory/memory.h"
#include "core/simulation/simulator.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft::analysis {

/// Lower bounds that no schedule can beat (MODEL.md section 3), with what gives them.
struct LowerBound {
    double seconds = 0;
    std::string because;  ///< "stage 3: 0.02 s to reach it, 0.40 s of work, 0.01 s after it"
};
/// On any schedule of this plan; without a barrier on its steady-state time per mini-batch.
/// @param graph of the plan, for any number of iterations
LowerBound planLowerBound(const CostModel& costs, const Plan& plan, const ExecutionGraph& graph);
/// On any plan at all whose devices do one pass at a time: all work over the sum of speeds. Where passes
/// overlap, on any whose pairs take at least that share of both passes; 0 where a time was measured for
/// pairs, which says nothing of other plans.
LowerBound problemLowerBound(const Problem& problem, const PairTimes& pairTimes);

struct CriticalPath {
    std::vector<std::uint32_t> blocks;  ///< from first to last
    double computeS = 0;
    double communicationS = 0;  ///< transfers, AllReduce, swaps, and insideS
    double insideS = 0;         ///< what groups send while passes run (insideSentS)
    double waitingS = 0;        ///< gaps between consecutive blocks
};
/// Back from the last block to end along Timeline::waitedFor.
CriticalPath criticalPath(const Timeline& timeline);

struct DeviceMetrics {
    int device = 0;
    double busyS = 0;           ///< forward, backward and weight gradient; not recompute
    double bubbleFraction = 0;  ///< 1 - busy / iteration time
    /// 1 - busy / (own last end - own first start); without a barrier as bubbleFraction
    double spanBubbleFraction = 0;
    double peakMemoryBytes = 0;
    double limitBytes = 0;
    double peakTimeS = 0;
    int peakInFlight =
        0;  ///< the most microbatches, or slices of them, whose activations it holds at once, over its stages
};

struct MemoryExcess {
    int device = 0;
    double timeS = 0;                              ///< when it first exceeds
    double excessBytes = 0;                        ///< by how much at the peak
    MemoryKind largest = MemoryKind::activations;  ///< what fills most of it at the peak
};

struct Metrics {
    double iterationTimeS = 0;  ///< asynchronous: steady-state time per mini-batch
    double throughputSamplesPerS = 0;
    double bubbleFraction = 0;           ///< mean over the cluster's devices, makespan-based
    double spanBubbleFraction = 0;       ///< mean over the devices that compute, span-based
    std::vector<DeviceMetrics> devices;  ///< by device index
    std::vector<LinkLoad> links;         ///< by link index
    CriticalPath criticalPath;
    LowerBound planBound;
    LowerBound problemBound;
    bool fitsMemory = true;
    std::vector<MemoryExcess> excesses;
};

/// Recomputed from plan and run alone.
Metrics computeMetrics(const CostModel& costs, const Plan& plan, const SimulatedRun& run,
                       const std::vector<MemoryCurve>& curves);

/// What `block` waits for and what waits for it, for arrows: data edges, as recorded with the timeline, and
/// the previous and next block of its lane.
struct Neighbours {
    std::vector<std::uint32_t> predecessors;
    std::vector<std::uint32_t> successors;
};
/// @param graph that the timeline was run by
Neighbours neighbours(const TaskGraph& graph, const Timeline& timeline, std::uint32_t block);

}  // namespace stagecraft::analysis
