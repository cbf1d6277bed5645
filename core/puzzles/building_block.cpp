#include "core/puzzles/building_block.h"

#include "core/base/indices.h"

#include <algorithm>
#include <utility>

namespace stagecraft::puzzles {

namespace {

std::vector<PlacedPass> blockOf(const PuzzleBoard& board) {
    std::vector<PlacedPass> block;
    for (const std::vector<PlacedPass>& lane : board.lanes())
        for (const PlacedPass& pass : lane)
            if (pass.task.microbatch == 0) block.push_back(pass);
    return block;
}

std::string missingPass(const PuzzleBoard& board) {
    const Puzzle& puzzle = board.puzzle();
    for (int stage = 0; stage < puzzle.stages(); ++stage)
        for (const TaskKind kind : passKindsOf(puzzle))
            if (const Task task{kind, stage, 0}; !board.find(task))
                return passName(puzzle, task) + " on GPU " + std::to_string(puzzle.deviceOf(stage)) +
                       " is missing: a building block is all passes of microbatch 0";
    return {};
}

PuzzleBoard::Lanes stamped(const Puzzle& puzzle, const std::vector<PlacedPass>& block, int shift) {
    PuzzleBoard::Lanes lanes(at(puzzle.devices));
    for (PlacedPass pass : block) {
        std::vector<PlacedPass>& lane = lanes[at(puzzle.deviceOf(pass.task.stage))];
        for (int microbatch = 0; microbatch < puzzle.microbatches; ++microbatch) {
            pass.task.microbatch = microbatch;
            lane.push_back(pass);
            pass.start += shift;
            pass.end += shift;
        }
    }
    for (std::vector<PlacedPass>& lane : lanes)
        std::sort(lane.begin(), lane.end(), [](const PlacedPass& a, const PlacedPass& b) {
            return std::pair(a.start, a.task.microbatch) < std::pair(b.start, b.task.microbatch);
        });
    return lanes;
}

/// The first two passes that would run at a time.
std::string collision(const Puzzle& puzzle, const PuzzleBoard::Lanes& lanes) {
    for (std::size_t device = 0; device < lanes.size(); ++device)
        for (std::size_t i = 1; i < lanes[device].size(); ++i) {
            const PlacedPass &before = lanes[device][i - 1], &after = lanes[device][i];
            if (after.start < before.end)
                return passName(puzzle, after.task) + " (" + std::to_string(after.start) + "–" +
                       std::to_string(after.end) + ") collides with " + passName(puzzle, before.task) + " (" +
                       std::to_string(before.start) + "–" + std::to_string(before.end) + ") on GPU " +
                       std::to_string(device);
        }
    return {};
}

}  // namespace

std::string stampBlock(PuzzleBoard& board, int shift) {
    if (shift < 1) return "a microbatch comes at least 1 later than the one before";
    if (std::string missing = missingPass(board); !missing.empty()) return missing;
    PuzzleBoard::Lanes lanes = stamped(board.puzzle(), blockOf(board), shift);
    std::string why = collision(board.puzzle(), lanes);
    if (why.empty()) why = board.replace(std::move(lanes));
    return why.empty() ? why : "with a shift of " + std::to_string(shift) + ", " + why;
}

int leastShift(const PuzzleBoard& board) {
    if (!missingPass(board).empty()) return 0;
    const std::vector<PlacedPass> block = blockOf(board);
    int last = 0;
    for (const PlacedPass& pass : block) last = std::max(last, pass.end);
    for (int shift = 1; shift <= std::max(1, last); ++shift)
        if (PuzzleBoard copy = board; stampBlock(copy, shift).empty()) return shift;
    return 0;
}

}  // namespace stagecraft::puzzles
