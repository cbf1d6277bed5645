#include "core/puzzles/continuation.h"

#include "core/base/indices.h"
#include "core/puzzles/family_orders.h"
#include "core/puzzles/least_time.h"

#include <algorithm>
#include <tuple>

namespace stagecraft::puzzles {

namespace {

/// Passes of a kind on a stage, whatever their microbatch.
using PassKey = std::pair<TaskKind, int>;
PassKey keyOf(const Task& task) { return {task.kind, task.stage}; }

/// Of the microbatches that have no such pass yet, the one whose input is there first.
std::optional<Task> nextOf(const PuzzleBoard& board, const PassKey& key) {
    std::optional<Task> next;
    int earliest = 0;
    for (int microbatch = 0; microbatch < board.puzzle().microbatches; ++microbatch) {
        const Task task{key.first, key.second, microbatch};
        if (board.find(task)) continue;
        const std::optional<int> arrives = board.arrival(task);
        if (!arrives || (next && earliest <= *arrives)) continue;
        next = task;
        earliest = *arrives;
    }
    return next;
}

std::vector<PlacedPass> addedTo(const PuzzleBoard& board, const PuzzleBoard& played) {
    std::vector<PlacedPass> added;
    for (const std::vector<PlacedPass>& lane : played.lanes())
        for (const PlacedPass& pass : lane)
            if (!board.find(pass.task)) added.push_back(pass);
    std::stable_sort(added.begin(), added.end(),
                     [](const PlacedPass& a, const PlacedPass& b) { return a.start < b.start; });
    return added;
}

void keepBetterContinuation(Continuation& best, Continuation::Source source, const std::string& family,
                            const PuzzleBoard& board, const PuzzleBoard& played) {
    const PuzzleScore score = played.score();
    const int time = score.time(board.puzzle().goal);
    if (!score.complete() || (best.source != Continuation::Source::none && best.time <= time)) return;
    best = {source, family, time, addedTo(board, played), false};
}

/// Whether the lanes of the board begin as the orders do, whatever the microbatches.
bool beginsAs(const PuzzleBoard& board, const std::vector<std::vector<Task>>& orders) {
    for (std::size_t device = 0; device < orders.size(); ++device) {
        const std::vector<PlacedPass>& lane = board.lanes()[device];
        if (lane.size() > orders[device].size()) return false;
        for (std::size_t i = 0; i < lane.size(); ++i)
            if (keyOf(lane[i].task) != keyOf(orders[device][i])) return false;
    }
    return true;
}

/// Goes on as the orders do, with the microbatches that come first, as far as it can.
PuzzleBoard playedOn(PuzzleBoard board, const std::vector<std::vector<Task>>& orders) {
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t device = 0; device < orders.size(); ++device)
            while (board.lanes()[device].size() < orders[device].size()) {
                const std::optional<Task> next =
                    nextOf(board, keyOf(orders[device][board.lanes()[device].size()]));
                if (!next || !board.place(*next).empty()) break;
                moved = true;
            }
    }
    return board;
}

/// What a device prefers where several passes could start.
struct GreedyRule {
    int mostHeld = 0;          ///< halves on the first device
    int lessPerDevice = 0;     ///< and less on each further one
    bool deepForwards = true;  ///< of two forwards that of the later stage
};

int mostHeldOn(const PuzzleBoard& board, const GreedyRule& rule, int device) {
    return std::max(2 * board.puzzle().chunks, rule.mostHeld - device * rule.lessPerDevice);
}

/// The pass that starts first over all devices; at the same time input gradients and backwards before
/// forwards, and weight gradients where nothing else can start.
std::optional<Task> greedyNext(const PuzzleBoard& board, const GreedyRule& rule) {
    using Rank = std::tuple<int, int, int>;
    std::optional<Task> next;
    Rank best;
    for (const ReadyPass& pass : board.ready()) {
        const bool forward = pass.task.kind == TaskKind::forward;
        if (!pass.fits ||
            (forward && board.heldHalves(pass.device) + 2 > mostHeldOn(board, rule, pass.device)))
            continue;
        const int kind = forward ? 1 : pass.task.kind == TaskKind::weightGradient ? 2 : 0;
        const int stage = forward && rule.deepForwards ? -pass.task.stage : pass.task.stage;
        const Rank rank{pass.start, kind, stage};
        if (next && best <= rank) continue;
        next = pass.task;
        best = rank;
    }
    return next;
}

PuzzleBoard playedGreedily(PuzzleBoard board, const GreedyRule& rule) {
    while (const std::optional<Task> next = greedyNext(board, rule)) board.place(*next);
    return board;
}

std::vector<GreedyRule> greedyRules(const Puzzle& puzzle) {
    std::vector<GreedyRule> rules;
    const int stages = puzzle.stages();
    for (const int held : {puzzle.devices, puzzle.devices + puzzle.chunks - 1, stages, 2 * stages - 1,
                           puzzle.microbatches * puzzle.chunks})
        for (const int less : {0, 1, 2})
            for (const bool deep : {true, false}) {
                if (!deep && puzzle.chunks == 1) continue;
                rules.push_back({2 * held, 2 * less, deep});
            }
    return rules;
}

/// The board with no steps to undo, which copies fast.
PuzzleBoard withoutPast(const PuzzleBoard& board) {
    PuzzleBoard fresh(board.puzzle());
    fresh.beginStep();
    fresh.replace(board.lanes());
    return fresh;
}

}  // namespace

Continuation ruleContinuation(const PuzzleBoard& board) {
    Continuation best;
    const PuzzleBoard start = withoutPast(board);
    for (const FamilyOrders& family : ordersOfFamilies(board.puzzle()))
        if (beginsAs(board, family.orders))
            keepBetterContinuation(best, Continuation::Source::family, family.title, board,
                                   playedOn(start, family.orders));
    for (const GreedyRule& rule : greedyRules(board.puzzle()))
        keepBetterContinuation(best, Continuation::Source::greedy, {}, board, playedGreedily(start, rule));
    return best;
}

Continuation bestContinuation(const PuzzleBoard& board, const SearchLimits& limits) {
    const Puzzle& puzzle = board.puzzle();
    if (puzzle.goal == PuzzleGoal::span) {
        Continuation rule = ruleContinuation(board);
        rule.proven = rule.time == longestWork(puzzle);
        return rule;
    }
    const LeastTime least = leastTime(board, limits);
    if (!least.possible) return {};
    if (!least.found) {
        Continuation rule = ruleContinuation(board);
        rule.proven = rule.time == least.bound;
        return rule;
    }
    PuzzleBoard played = withoutPast(board);
    for (const PlacedPass& pass : least.passes)
        if (const std::optional<Task> next = nextOf(played, keyOf(pass.task)))
            played.place(*next, pass.start);
    Continuation best;
    keepBetterContinuation(best, Continuation::Source::search, {}, board, played);
    best.proven = true;
    return best;
}

std::string sourceText(const Continuation& continuation) {
    switch (continuation.source) {
        case Continuation::Source::search:
            return "an optimal order";
        case Continuation::Source::family:
            return "the order of " + continuation.family;
        case Continuation::Source::greedy:
            return "the rule: backwards first";
        case Continuation::Source::none:
            break;
    }
    return {};
}

}  // namespace stagecraft::puzzles
