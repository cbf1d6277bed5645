#pragma once

#include "core/cost/cost_model.h"
#include "core/puzzles/puzzle_board.h"

#include <string>

namespace stagecraft::puzzles {

/// Why the order of a puzzle cannot run on the problem, in words; empty: it can. It needs as many GPUs and
/// layers as the puzzle has GPUs and stages; its microbatches are the puzzle's under realSetup().
std::string whyNotReal(const Puzzle& puzzle, const Problem& problem);

/// The problem's setup with the puzzle's number of microbatches.
TrainingSetup realSetup(const Puzzle& puzzle, TrainingSetup setup);

/// The same order of passes on the problem's layers, equally many in each stage, with its times, transfers
/// and memory.
/// @param costs under realSetup()
/// @throws std::invalid_argument if the board is not complete, or as whyNotReal()
Plan realPlan(const PuzzleBoard& board, const CostModel& costs, const std::string& name);

}  // namespace stagecraft::puzzles
