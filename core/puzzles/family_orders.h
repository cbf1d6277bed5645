#pragma once

#include "core/puzzles/board.h"

#include <string>
#include <vector>

namespace stagecraft::puzzles {

struct FamilyOrders {
    std::string title;                      ///< "ZB-H1"
    std::vector<std::vector<Task>> orders;  ///< by device
};

/// The orders of all families that take the puzzle's stages and have no other passes than it has.
std::vector<FamilyOrders> ordersOfFamilies(const Puzzle& puzzle);

/// The titles of the families in whose order the board has its passes; none until it is complete.
std::vector<std::string> familiesOf(const PuzzleBoard& board);

}  // namespace stagecraft::puzzles
