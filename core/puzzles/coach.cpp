#include "core/puzzles/coach.h"

#include "core/base/indices.h"

#include <algorithm>

namespace stagecraft::puzzles {

namespace {

std::string onDevice(const Puzzle& puzzle, const Task& task) {
    return passName(puzzle, task) + " on GPU " + std::to_string(puzzle.deviceOf(task.stage));
}

bool sameClass(const Task& a, const Task& b) { return a.kind == b.kind && a.stage == b.stage; }

/// What else its device could begin while the pass is not over.
std::vector<ReadyPass> alternativesTo(const PuzzleBoard& board, const PlacedPass& next) {
    std::vector<ReadyPass> others;
    const int device = board.puzzle().deviceOf(next.task.stage);
    for (const ReadyPass& pass : board.ready())
        if (pass.device == device && pass.fits && !sameClass(pass.task, next.task) &&
            pass.start <= next.start)
            others.push_back(pass);
    return others;
}

struct Cost {
    bool known = false;    ///< both ends are proven
    bool possible = true;  ///< it can be played to an end
    int time = 0;
};

Cost costOf(const PuzzleBoard& board, const Task& task, const SearchLimits& limits) {
    PuzzleBoard other = board;
    other.place(task);
    const Continuation after = bestContinuation(other, limits);
    if (after.source == Continuation::Source::none) return {true, false, 0};
    return {after.proven, true, after.time};
}

const char* endWord(const Puzzle& puzzle) {
    return puzzle.goal == PuzzleGoal::makespan ? "ends at " : "has a span of ";
}

/// What is said of the most telling alternative.
std::string comparison(const PuzzleBoard& board, const PlacedPass& next, const Continuation& best,
                       const SearchLimits& limits) {
    const Puzzle& puzzle = board.puzzle();
    std::string equal;
    for (const ReadyPass& other : alternativesTo(board, next)) {
        const Cost cost = costOf(board, other.task, limits);
        const std::string name = passName(puzzle, other.task) + " first";
        if (!cost.possible) return name + " leads nowhere: memory fills before a backward can come.";
        if (cost.time > best.time && best.proven && cost.known)
            return "With " + name + ", the best that is left " + endWord(puzzle) + std::to_string(cost.time) +
                   " instead of " + std::to_string(best.time) + ".";
        if (cost.time > best.time)
            return "With " + name + ", the best that was found " + endWord(puzzle) +
                   std::to_string(cost.time) + " instead of " + std::to_string(best.time) + ".";
        equal = passName(puzzle, other.task) + " first would do as well.";
    }
    return equal;
}

/// Why the pass helps, by its kind.
std::string useOf(const Puzzle& puzzle, const PlacedPass& next) {
    const int stage = next.task.stage;
    const auto gpu = [&](int of) { return "GPU " + std::to_string(puzzle.deviceOf(of)); };
    if (next.task.kind == TaskKind::weightGradient)
        return "nothing waits for a weight gradient, so it fills time in which nothing else is due, and "
               "frees "
               "memory";
    if (next.task.kind == TaskKind::forward)
        return stage + 1 < puzzle.stages() ? gpu(stage + 1) + " waits for its output"
                                           : "its backward can follow at once";
    return stage > 0 ? gpu(stage - 1) + " waits for its gradient, and it frees memory" : "it frees memory";
}

std::string reasonFor(const PuzzleBoard& board, const PlacedPass& next, const Continuation& best,
                      const SearchLimits& limits) {
    const Puzzle& puzzle = board.puzzle();
    const int device = puzzle.deviceOf(next.task.stage);
    std::string text = onDevice(puzzle, next.task) + " at " + std::to_string(next.start) + ": ";
    const std::string compared = comparison(board, next, best, limits);
    if (compared.empty()) {
        int choices = 0;
        for (const ReadyPass& pass : board.ready()) choices += pass.device == device && pass.fits ? 1 : 0;
        text += choices == 1 ? "it is the only pass that GPU " + std::to_string(device) + " can run."
                             : useOf(puzzle, next) + ".";
        return text;
    }
    return text + useOf(puzzle, next) + ". " + compared;
}

std::string followed(const PuzzleBoard& board, const Continuation& best) {
    const std::string end = endWord(board.puzzle()) + std::to_string(best.time);
    if (best.proven)
        return "Follows " + sourceText(best) + ", which " + end + ": from here nothing is shorter.";
    return "Follows " + sourceText(best) + ", which " + end + "; whether it can be shorter is not known.";
}

/// What a person should look at before the pass is placed; empty: nothing.
std::string strangeness(const PuzzleBoard& board, const PlacedPass& next) {
    const Puzzle& puzzle = board.puzzle();
    const int device = puzzle.deviceOf(next.task.stage), free = board.freeAt(device);
    const std::string gpu = "GPU " + std::to_string(device);
    std::string others;
    for (const ReadyPass& pass : alternativesTo(board, next))
        if (pass.start <= std::max(next.start, free)) others += " or " + passName(puzzle, pass.task);
    if (!others.empty()) return gpu + " can run " + passName(puzzle, next.task) + others + ".";
    if (puzzle.memoryLimit > 0 && board.heldHalves(device) + 2 > 2 * puzzle.memoryLimit)
        for (const ReadyPass& pass : board.ready())
            if (pass.device == device && !pass.fits && pass.start <= next.start)
                return gpu + " holds " + heldText(puzzle, board.heldHalves(device)) + " of " +
                       std::to_string(puzzle.memoryLimit) + ": " + passName(puzzle, pass.task) +
                       " is ready and has to wait for a backward.";
    if (!board.lane(device).empty() && next.start > free)
        return gpu + " has nothing to do from " + std::to_string(free) + " to " + std::to_string(next.start) +
               ", when " + passName(puzzle, next.task) + " can start.";
    return {};
}

}  // namespace

Advice adviceFor(const PuzzleBoard& board, const SearchLimits& limits) {
    if (board.score().complete()) return {{}, "All passes are placed.", {}};
    const Continuation best = bestContinuation(board, limits);
    if (best.source == Continuation::Source::none)
        return {{}, "There is no way on: memory is full, and no backward can come. Take passes back.", {}};
    const PlacedPass& next = best.passes.front();
    return {next, reasonFor(board, next, best, limits), followed(board, best)};
}

std::string playUntilChoice(PuzzleBoard& board, const SearchLimits& limits) {
    const Continuation best = bestContinuation(board, limits);
    if (board.score().complete()) return "All passes are placed.";
    if (best.source == Continuation::Source::none)
        return "There is no way on: memory is full, and no backward can come. Take passes back.";
    board.beginStep();
    std::string why;
    for (std::size_t i = 0; i < best.passes.size() && why.empty(); ++i) {
        if (i > 0) why = strangeness(board, best.passes[i]);
        if (why.empty()) board.place(best.passes[i].task, best.passes[i].start);
    }
    board.endStep();
    return why.empty() ? "All passes are placed." : why;
}

}  // namespace stagecraft::puzzles
