#pragma once

#include "core/puzzles/puzzle_board.h"

#include <string>
#include <string_view>

namespace stagecraft::puzzles {

/// The board of an order that a file has: a line for each device, from GPU 0, with its passes in the spelling
/// of plans ("F0 F1 B0 B1"; "2:F0" where a device has several stages), each as early as it can run, or at a
/// time ("F1@3"); '#' begins a comment, and "GPU 0:" may begin a line. Or PyTorch's pipelining CSV.
/// @throws InputError with the line for what is no pass, and for passes that cannot run, with the reason
PuzzleBoard readPuzzleOrder(std::string_view text, const std::string& file, const Puzzle& puzzle);

/// In that spelling, with the times of passes that could run earlier.
std::string puzzleOrderText(const PuzzleBoard& board);

}  // namespace stagecraft::puzzles
