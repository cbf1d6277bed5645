#pragma once

#include "core/base/work_context.h"
#include "core/planners/madpipe/chain.h"

#include <functional>
#include <limits>
#include <vector>

namespace stagecraft::planners {

/// Links first..last on a processor of their own or on the special one, which may hold several stages.
struct MadPipeStage {
    int first = 0;
    int last = 0;
    bool special = false;
    bool operator==(const MadPipeStage&) const = default;
};

struct MadPipeAllocation {
    double periodS = std::numeric_limits<double>::infinity();  ///< the programme's; infinity: there is none
    std::vector<MadPipeStage> stages;                          ///< in the order of the chain

    bool found() const { return !stages.empty(); }
    bool contiguous() const;
};

/// How the programme counts the special processor's memory.
enum class SpecialMemory {
    printed,  ///< g - 1 batches per stage: never too much, often too little for any pattern (MadPipe 4.2.1)
    full,     ///< g batches: enough for any order of its stages
};

/// How finely the programme counts (MadPipe 5.1). Values are rounded up; the delay's steps continue beyond
/// U(1, L) + sum of C, for idle time can make it longer.
struct MadPipeGrid {
    int loads = 101;     ///< values of t_P from 0 to U(1, L)
    int memories = 11;   ///< values of m_P from 0 to M
    int delays = 51;     ///< values of V from 0 to U(1, L) + sum of C
    bool exact = false;  ///< no rounding: only states that are reached, however many
    SpecialMemory special = SpecialMemory::printed;
};

/// MadPipe-DP (MadPipe 4.2.2, with E-MP-1 and E-MP-2): T(L, P-1, 0, 0, 0) for the target period. Works from
/// the last layer down over the states that can be reached, without those that another one is nowhere worse
/// than. Of several allocations of one period the order of the search decides, which is always the same.
/// @param processors P, the special one among them
/// @param belowS only periods below this are looked for, clearly below
/// @throws Cancelled
MadPipeAllocation madPipeAllocation(const MadPipeChain& chain, int processors, double memoryBytes,
                                    double targetS, const MadPipeGrid& grid,
                                    double belowS = std::numeric_limits<double>::infinity(),
                                    const WorkContext& context = {});

/// A state that MadPipe-DP reaches: T(l, p, t_P, m_P, V) is asked for there.
struct MadPipeState {
    int links = 0;    ///< l, still to be placed
    int normals = 0;  ///< p, normal processors left
    double loadS = 0, memoryBytes = 0, delayS = 0;  ///< t_P, m_P, V, rounded to the grid
    double periodS = 0;                             ///< the longest normal stage or transfer so far
    int placedLast = -1;   ///< links..placedLast were placed last; -1: nothing is placed yet
    bool special = false;  ///< on the special processor
    bool chosen = false;   ///< on the way to the allocation that is returned
};
/// Visits the states of madPipeAllocation for a period known to be its result, without those that another is
/// nowhere worse than or that cannot reach it any more, until `visit` returns false. @throws Cancelled
void forEachMadPipeState(const MadPipeChain& chain, int processors, double memoryBytes, double targetS,
                         const MadPipeGrid& grid, double periodS,
                         const std::function<bool(const MadPipeState&)>& visit,
                         const WorkContext& context = {});

struct PeriodSearchStep {
    double targetS = 0;  ///< T^_i
    double periodS = 0;  ///< MadPipe-DP(T^_i); infinity: none, or none that would be better than those before
    MadPipeAllocation allocation;
};

struct PeriodSearch {
    double periodS = std::numeric_limits<double>::infinity();  ///< min max(T_i, T^_i): what phase one expects
    MadPipeAllocation allocation;                              ///< the one that belongs to it
    std::vector<PeriodSearchStep> steps;
};

/// Algorithm 1 as E-MP-5 mends it.
/// @param context its `enough` ends the search after the steps that are done
/// @param everyPeriod also of steps that cannot be the best one: slower, for traces
/// @throws Cancelled
PeriodSearch searchPeriod(const MadPipeChain& chain, int processors, double memoryBytes,
                          const MadPipeGrid& grid, int iterations, const WorkContext& context = {},
                          bool everyPeriod = false);

}  // namespace stagecraft::planners
