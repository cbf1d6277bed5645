#pragma once

#include "core/cost/cost_model.h"
#include "core/planners/vpipe/local_optimum.h"
#include "core/planners/vpipe/swap_recompute.h"

#include <limits>
#include <string>
#include <vector>

namespace stagecraft::planners::vpipe {

/// How much of vPipe is at work (its Figs. 10, 11, 13 and 14).
enum class Parts {
    upperSystem,    ///< nothing: PipeDream keeps all activations, GPipe recomputes all
    swapRecompute,  ///< V-SR: Algorithm 2 on the partition to start from
    full,           ///< Algorithm 1
};

/// Whether PipeDream's own partition, which may replicate stages, is planned for beside those of one device a
/// stage.
enum class OwnPartition {
    none,
    ifItFits,  ///< as it is, as the paper has it of small networks (Sec. 6.1)
    always,    ///< swapped and recomputed where it does not fit
};

struct Settings {
    System system = System::synchronous;  ///< GPipe's or PipeDream's
    Parts parts = Parts::full;
    bool eagerSwap = true;
    bool paramsResident = true;
    bool exactLocal = false;  ///< the exact local optimum instead of Algorithm 2
    OwnPartition ownPartition = OwnPartition::ifItFits;
    /// Of the search through all plans, for what fits where no round does; 0: it is left out.
    double searchEffort = 1;
};

/// What a round decided for a stage, in the terms of Sec. 4.1.
struct StageRound {
    StageTimes times;        ///< Eq. (2)
    double memoryBytes = 0;  ///< Eq. (1), with what a device has to hold besides
    int recomputed = 0, swapped = 0;
    double reservedBytes = 0;  ///< of the limit, for what Eq. (1) does not know, as the simulation showed
    /// The exact local optimum of t^fwd + t^bwd; of rounds that fit; 0: the local problem allows nothing.
    double optimumS = 0;
    bool optimumProven = false;  ///< false: optimumS is a lower bound
};

/// A round of Algorithm 1: a partition, Algorithm 2 on each of its stages, and what the simulator says of
/// that.
struct Round {
    std::vector<Stage> stages;
    MemoryPolicy memory;
    std::vector<StageRound> perStage;
    double slowestStageS = 0;  ///< Eq. (3)
    bool fits = false;         ///< on the simulated timeline, at every instant
    /// Simulated, of the plan's own mini-batch; infinite if it does not fit.
    double iterationTimeS = std::numeric_limits<double>::infinity();
    std::string because;   ///< what led here, and what does not fit
    std::string obstacle;  ///< the worst of what does not fit, in a sentence; empty: all of it does
    /// Of its device's limit, the most that anything took which was found to fit on the way: with that share of
    /// all limits, or more, the same round comes out.
    double shareNeeded = 1;
};

/// The plan of a round, in the upper system's schedule.
Plan planOf(const std::vector<Stage>& stages, const MemoryPolicy& memory, const Settings& settings);

/// Where the stages after the first begin, and the stages that begin there, one device each, as numbered.
std::vector<int> boundsOf(const std::vector<Stage>& stages);
std::vector<Stage> stagesOf(const std::vector<int>& bounds, int layers);

/// Mini-batches to simulate for the memory of every stage to reach its most, as a rule. @param workers devices
/// of all stages
int iterationsFor(const CostModel& costs, int workers);
int workersOf(const std::vector<Stage>& stages);

}  // namespace stagecraft::planners::vpipe
