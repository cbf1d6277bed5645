#pragma once

#include "core/planners/vpipe/rounds.h"

#include <vector>

namespace stagecraft::planners::vpipe {

/// The rounds of Algorithm 1 among which the plan is.
struct PlannedRounds {
    std::vector<Round> rounds;
    int best = -1;              ///< the quickest of those that fit in the long run as well; -1: none does
    double iterationTimeS = 0;  ///< of it, simulated as the plan will be shown
    CostModel costs;            ///< under the limits that they were made for
};

/// vPipe's plan. Algorithm 1 is greedy: with more memory it may well end with something slower, for it
/// repartitions only what its own choices have unbalanced. So it runs for the devices' limits and for all
/// smaller ones that a ladder has which does not depend on them: just below numbers of bytes of seven binary
/// digits, 64 to a doubling, of six for more than 128 layers (where devices differ, of the one with least
/// memory, the others in proportion). The quickest of these plans is taken. With more memory in the same
/// proportion all of them are candidates again, so that it is not slower.
///
/// Limits between two that give the same rounds, because nothing in them came near a limit, are passed over.
/// The ladder begins with the first rung that has a plan, on the way up in longer and longer steps from the
/// lowest that may hold one (MemoryFloor).
///
/// Below what that plan needs leaner ones are searched for (addSearched). Where that begins and how it goes
/// on does not depend on the devices' limits either, and all that was found and fits them is a candidate.
/// Only if nothing at all was found the limits themselves are searched, with twenty times the effort.
/// @param costs under the plan's own setup
PlannedRounds planOnLadder(const CostModel& costs, const Settings& settings, const WorkContext& context);
}  // namespace stagecraft::planners::vpipe
