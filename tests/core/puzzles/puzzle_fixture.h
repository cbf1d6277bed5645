#pragma once

#include "core/puzzles/puzzle_board.h"
#include "core/puzzles/puzzle_json.h"

#include <algorithm>
#include <vector>

namespace puzzle_tests {

inline stagecraft::puzzles::Puzzle puzzle(const char* text) {
    return stagecraft::puzzles::puzzleFromText(text);
}

inline stagecraft::model::Task pass(char letter, int microbatch, int stage) {
    using stagecraft::model::TaskKind;
    const TaskKind kind = letter == 'F'   ? TaskKind::forward
                          : letter == 'B' ? TaskKind::backward
                          : letter == 'I' ? TaskKind::inputGradient
                                          : TaskKind::weightGradient;
    return {kind, stage, microbatch};
}

}  // namespace puzzle_tests
