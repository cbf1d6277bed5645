#pragma once

#include "core/puzzles/continuation.h"

#include <string>

namespace stagecraft::puzzles {

/// What a good player would do next.
struct Advice {
    std::optional<PlacedPass> next;  ///< nothing: the board is complete, or there is no way on
    std::string reason;              ///< why, as a sentence
    std::string source;              ///< what it follows, as a sentence
};

/// The next pass in time of the best continuation that is known. Where another pass could start on its device
/// as early or earlier, the reason says what that would cost, or that it costs nothing.
Advice adviceFor(const PuzzleBoard& board, const SearchLimits& limits = {});

/// Plays on, as one step: places what the coach would, until there is a choice that matters, a device's
/// memory is full or a device has to wait. What it stopped at last time is decided first.
/// @return why it stopped, as a sentence
std::string playUntilChoice(PuzzleBoard& board, const SearchLimits& limits = {});

}  // namespace stagecraft::puzzles
