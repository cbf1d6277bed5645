#pragma once

#include "core/puzzles/least_time.h"
#include "core/puzzles/puzzle_board.h"

#include <string>
#include <vector>

namespace stagecraft::puzzles {

/// How a board could be played to its end.
struct Continuation {
    enum class Source {
        none,    ///< there is no way on: memory is full, and no backward can come
        search,  ///< an exact search
        family,  ///< the order of a schedule family
        greedy,  ///< a rule: backwards first, within a number of microbatches in flight
    };
    Source source = Source::none;
    std::string family;              ///< its title
    int time = 0;                    ///< of the goal
    std::vector<PlacedPass> passes;  ///< that the board does not have yet, by start
    bool proven = false;             ///< nothing that follows the board is shorter
};

/// The best continuation that is known: by exact search where it ends within the limits (of makespans alone),
/// else the best of all schedule families whose orders begin as the board does, and of a greedy rule.
Continuation bestContinuation(const PuzzleBoard& board, const SearchLimits& limits = {});
/// The same without the search.
Continuation ruleContinuation(const PuzzleBoard& board);

/// "an optimal order", "1F1B's order", "the rule: backwards first", for sentences.
std::string sourceText(const Continuation& continuation);

}  // namespace stagecraft::puzzles
