#pragma once

#include "core/planners/planner.h"
#include "core/planners/vpipe/local_optimum.h"
#include "core/planners/vpipe/swap_recompute.h"

#include <limits>
#include <string>
#include <vector>

namespace stagecraft::vpipe {

/// How much of vPipe is at work (its Figs. 10, 11, 13 and 14).
enum class Parts {
    upperSystem,    ///< nothing: PipeDream keeps all activations, GPipe recomputes all
    swapRecompute,  ///< V-SR: Algorithm 2 on the partition to start from
    full,           ///< Algorithm 1
};

struct Settings {
    System system = System::synchronous;  ///< GPipe's or PipeDream's
    Parts parts = Parts::full;
    bool eagerSwap = true;
    bool paramsResident = true;
    bool exactLocal = false;  ///< the exact local optimum in place of Algorithm 2
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
};

/// The plan of a round, in the upper system's schedule.
Plan planOf(const std::vector<Stage>& stages, const MemoryPolicy& memory, const Settings& settings);

/// Where the stages after the first begin, and the stages that begin there, one device each, as numbered.
std::vector<int> boundsOf(const std::vector<Stage>& stages);
std::vector<Stage> stagesOf(const std::vector<int>& bounds, int layers);

/// Mini-batches to simulate for the memory of every stage to reach its most, as a rule.
int iterationsFor(const CostModel& costs, int stages);

/// The stages that vPipe's upper systems start from: one device each, as numbered, of which the slowest is as
/// quick as can be.
std::vector<Stage> startingStages(const CostModel& costs);

/// Algorithm 2 (or the exact optimum, or the upper system's own way) on each stage of a partition.
///
/// Eq. (1) knows neither gradients, optimizer state and buffers nor the batch that is at work, which has to
/// be whole on the device while its backward runs. Gradients, state and the batch at work are added to it;
/// then the plan is simulated, and for each device that still exceeds its limit Algorithm 2 gets that much
/// less, until the simulated timeline fits. Where swapping eagerly leads nowhere, or is slower, less is
/// swapped.
/// @param costs under the plan's own setup
Round fittedRound(const CostModel& costs, const std::vector<Stage>& stages, const Settings& settings,
                  const PlanningContext& context = {});

/// Algorithm 1 from the starting stages (E-VP-12): repartition for the times of the round before, then
/// Algorithm 2, until the stages are balanced, a partition comes again, or ten rounds are over. If none fits,
/// the partition whose fullest stage is least full is tried, and at last addSearched().
std::vector<Round> rounds(const CostModel& costs, const Settings& settings,
                          const PlanningContext& context = {});

/// The same from other stages, as when a network has changed.
std::vector<Round> rounds(const CostModel& costs, std::vector<Stage> start, const Settings& settings,
                          const PlanningContext& context = {});

/// For rounds none of which fits: searches through all partitions, or with Parts::swapRecompute through all
/// choices for the one there is. Adds a round with what it found or what came closest, and makes the last
/// round's obstacle say whether anything can fit at all.
void addSearched(const CostModel& costs, const Settings& settings, const PlanningContext& context,
                 std::vector<Round>& all);

/// The quickest of the rounds that fit, the first of equals; -1: none fits.
int bestRound(const std::vector<Round>& rounds);

}  // namespace stagecraft::vpipe
