#pragma once

#include "core/puzzles/puzzle_board.h"

#include <cstdint>
#include <vector>

namespace stagecraft::puzzles {

/// What an exact search for the least makespan has found from a board on.
struct LeastTime {
    int bound = 0;                   ///< no continuation ends earlier
    bool found = false;              ///< `passes` ends at `bound`
    bool possible = true;            ///< false: no continuation ever ends, since memory is full
    std::vector<PlacedPass> passes;  ///< those that the board does not have yet, by start
    std::int64_t nodes = 0;          ///< states that were looked at
};

/// How a search is limited.
struct SearchLimits {
    std::int64_t mostNodes = 2'000'000;
    int limitHalves = 0;  ///< that a device may hold, where it is less than the puzzle's; 0: the puzzle's
    int mostTime = 0;     ///< longer continuations are not looked for; 0: any
};

/// The least makespan that the board can still have, with passes after what its devices have been given.
/// Exact: it tries makespans from a lower bound on and decides for each whether there is a continuation.
/// Microbatches are alike, so that each stage has its passes of a kind in the order in which their inputs
/// come: renaming makes any continuation such a one.
LeastTime leastTime(const PuzzleBoard& board, const SearchLimits& limits = {});

}  // namespace stagecraft::puzzles
