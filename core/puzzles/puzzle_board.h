#pragma once

#include "core/puzzles/puzzle.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::puzzles {

struct PlacedPass {
    Task task;
    int start = 0, end = 0;
    bool operator==(const PlacedPass&) const = default;
};

/// A pass that may be placed now.
struct ReadyPass {
    Task task;
    int device = 0;
    int start = 0;     ///< the earliest after what its device has been given
    int arrival = 0;   ///< of its input; before that it only waits
    bool fits = true;  ///< false: its device's memory is full until a backward has run
};

/// How good the board is. Times are of what is placed so far.
struct PuzzleScore {
    int placed = 0, passes = 0;
    int makespan = 0;
    int span = 0;            ///< PuzzleGoal::span
    double bubbleShare = 0;  ///< of all devices' time up to the makespan, 0 to 1
    int peakHalves = 0;      ///< the most that a device holds (heldHalvesAfter)
    bool complete() const { return placed == passes; }
    int time(PuzzleGoal goal) const { return goal == PuzzleGoal::makespan ? makespan : span; }
};

/// Passes that a person has placed on the devices of a puzzle, each at a time: never one that could not run
/// then. What is placed can be taken back, step by step.
class PuzzleBoard {
public:
    using Lanes = std::vector<std::vector<PlacedPass>>;

    /// @throws std::invalid_argument for a puzzle with faults
    explicit PuzzleBoard(Puzzle puzzle);

    const Puzzle& puzzle() const { return puzzle_; }
    const Lanes& lanes() const { return lanes_; }  ///< by device, in order of time
    const std::vector<PlacedPass>& lane(int device) const { return lanes_[static_cast<std::size_t>(device)]; }
    /// nullptr as long as it is not placed.
    const PlacedPass* find(const Task& task) const;
    int freeAt(int device) const { return lane(device).empty() ? 0 : lane(device).back().end; }
    /// When what the pass needs is there; nothing as long as that is not placed.
    std::optional<int> arrival(const Task& task) const;
    int heldHalves(int device) const;  ///< at the end of its lane

    /// Why the pass cannot be placed on the device, in words; empty: it can.
    /// @param start nothing: as early as it can run after all that its device has been given
    std::string refusal(const Task& task, int device, std::optional<int> start = {}) const;
    /// Places it on its device, unless it is refused. @return as refusal()
    std::string place(const Task& task, std::optional<int> start = {});
    /// Takes a pass off its device, and with it what can then no longer be where it is, as one step: what
    /// needs it, and forwards for which there is no memory without it. @return how many; 0: it is not placed
    int takeBack(const Task& task);
    /// All passes at once, as one step, in place of what is there. @return why not, in words; empty: done
    std::string replace(Lanes lanes);
    /// Puzzles that are played on without a person make one step of many passes: what follows up to end() is
    /// undone at once.
    void beginStep();
    void endStep();

    /// Of each kind and stage the microbatch whose input is there first, by device, then by start.
    std::vector<ReadyPass> ready() const;
    PuzzleScore score() const;

    bool canUndo() const { return !past_.empty(); }
    bool canRedo() const { return !future_.empty(); }
    void undo();
    void redo();
    /// The same orders with every pass as early as it can run.
    Lanes tightened() const;
    /// What each device runs, in order.
    std::vector<std::vector<Task>> orders() const;

private:
    std::string unknownPass(const Task& task) const;
    std::string inputRefusal(const Task& task, int device, std::optional<int> start) const;
    std::string laneRefusal(const Task& task, int device, int start) const;
    void keepStep();
    std::size_t indexOf(const Task& task) const;
    void workOutKnown();

    Puzzle puzzle_;
    Lanes lanes_;
    std::vector<PlacedPass> known_;  ///< by indexOf(); start -1: not placed
    std::vector<Lanes> past_, future_;
    bool inStep_ = false;
};

/// The pass that must end before this one can start; nothing for the first forwards.
std::optional<Task> inputOf(const Puzzle& puzzle, const Task& task);

/// The board of orders, each pass as early as it can run. @return why not in words; empty: `board` has them
std::string placeOrders(PuzzleBoard& board, const std::vector<std::vector<Task>>& orders);

}  // namespace stagecraft::puzzles
