#pragma once

#include "core/base/work_context.h"
#include "core/planners/vpipe/known_outcomes.h"
#include "core/planners/vpipe/round.h"

#include <vector>

namespace stagecraft::planners::vpipe {

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
/// @param known of the same problem but for the limits; nullptr: nothing is
Round fittedRound(const CostModel& costs, const std::vector<Stage>& stages, const Settings& settings,
                  const WorkContext& context = {}, KnownOutcomes* known = nullptr);

/// With choices that were made elsewhere. What would be explained of a round that does not fit is left open.
Round chosenRound(const CostModel& costs, const std::vector<Stage>& stages, const MemoryPolicy& memory,
                  const Settings& settings);

/// Fills in how far the round's choices are from the optima of what Algorithm 2 was asked (StageRound::optimumS).
void addOptima(const CostModel& costs, const Settings& settings, Round& round);

/// Algorithm 1 from the starting stages (E-VP-12): repartition for the times of the round before, then
/// Algorithm 2, until the stages are balanced, a partition comes again, or ten rounds are over. If none fits,
/// the partition with the lowest peak memory for its limits is tried, and finally addSearched().
std::vector<Round> rounds(const CostModel& costs, const Settings& settings, const WorkContext& context = {},
                          KnownOutcomes* known = nullptr);

/// The same from other stages, as when a network has changed.
std::vector<Round> rounds(const CostModel& costs, std::vector<Stage> start, const Settings& settings,
                          const WorkContext& context = {}, KnownOutcomes* known = nullptr);

/// For rounds none of which fits: searches through all partitions, or with Parts::swapRecompute through all
/// choices for the one there is. Adds a round with what it found or what came closest, and makes the last
/// round's obstacle say whether anything can fit at all.
void addSearched(const CostModel& costs, const Settings& settings, const WorkContext& context,
                 std::vector<Round>& all);

/// The quickest of the rounds that fit, the first of equals; -1: none fits.
int bestRound(const std::vector<Round>& rounds);

}  // namespace stagecraft::planners::vpipe
