#pragma once

#include "core/puzzles/puzzle_board.h"

#include <string>

namespace stagecraft::puzzles {

/// A building block (Qi et al., "Pipeline Parallelism with Controllable Memory", NeurIPS 2024): the passes of
/// one microbatch, each at a time of its own, repeated for every microbatch `shift` later than for the one
/// before.

/// Repeats what the board has of microbatch 0 for all microbatches; what it has of others is replaced.
/// @return why not, in words: passes of microbatch 0 are missing, two passes collide, or memory does not
/// suffice; empty: `board` has them, as one step
std::string stampBlock(PuzzleBoard& board, int shift);

/// The least shift that stampBlock() takes; 0: microbatch 0 is not complete, or no shift will do.
int leastShift(const PuzzleBoard& board);

}  // namespace stagecraft::puzzles
