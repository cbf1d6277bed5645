#pragma once

#include "app/rooms.h"
#include "core/puzzles/puzzle_board.h"

#include <QString>

namespace stagecraft::app::puzzles {

/// The best answer that a person has found to a puzzle, kept between sessions.
struct PuzzleProgress {
    int time = 0;  ///< of the puzzle's goal; 0: none was found yet
    int peakHalves = 0;

    bool isSolved() const { return time > 0; }
    static PuzzleProgress load(const QString& id);
    void save(const QString& id) const;
    /// Keeps a complete board's score if it is shorter, or as short with less memory.
    static void keep(const QString& id, const PuzzleBoard& board);
};

}  // namespace stagecraft::app::puzzles
