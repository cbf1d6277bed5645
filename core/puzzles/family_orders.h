#pragma once

#include "core/puzzles/puzzle_board.h"

#include <string>
#include <vector>

namespace stagecraft::puzzles {

struct FamilyOrders {
    std::string title;                      ///< "ZB-H1"
    std::vector<std::vector<Task>> orders;  ///< by device
};

/// The orders of all families that take the puzzle's stages and have no other passes than it has.
std::vector<FamilyOrders> ordersOfFamilies(const Puzzle& puzzle);

/// Titles of the families whose order the passes on the board follow; none until the board is complete.
std::vector<std::string> familiesOf(const PuzzleBoard& board);

}  // namespace stagecraft::puzzles
