#pragma once

#include "core/schedules/schedule_shape.h"

#include <string>
#include <vector>

namespace stagecraft::puzzles {

/// How long the passes of a stage take for one microbatch, in whole units of time.
struct UnitTimes {
    int forward = 1;
    int backward = 2;        ///< input and weight gradient together
    int weightGradient = 1;  ///< the part of `backward` that a split backward may defer
    int inputGradient() const { return backward - weightGradient; }
    bool operator==(const UnitTimes&) const = default;
};

/// What a good answer is short in.
enum class PuzzleGoal {
    makespan,  ///< from 0 to the end of the last pass
    span,  ///< of the device that takes longest from its first pass to the end of its last: what a further
           ///< iteration waits for where nothing holds the devices together (Qi et al., ICLR 2024)
};

/// Which passes there are to place, and within what: one pipeline of `devices` times `chunks` stages.
/// Microbatches, stages and devices count from 0.
struct Puzzle {
    int devices = 2;
    int microbatches = 2;
    int chunks = 1;  ///< stages of each device
    Placement placement = Placement::onePerRank;
    bool split = false;                   ///< a backward is an input gradient and, later, a weight gradient
    std::vector<UnitTimes> times = {{}};  ///< of each stage, or one for all
    int transfer = 0;                     ///< between two devices, each way
    int memoryLimit = 0;  ///< what a device may hold: activations of a stage for one microbatch; 0: no limit
    PuzzleGoal goal = PuzzleGoal::makespan;

    int stages() const { return devices * chunks; }
    const UnitTimes& timesOf(int stage) const {
        return times.size() == 1 ? times.front() : times[static_cast<std::size_t>(stage)];
    }
    int deviceOf(int stage) const { return expectedRank(stage, devices, placement); }
    /// Until the next stage has the output of `stage`, or that one the gradient from the next.
    int delayAfter(int stage) const { return deviceOf(stage) == deviceOf(stage + 1) ? 0 : transfer; }
    bool operator==(const Puzzle&) const = default;
};

inline constexpr int mostPuzzleDevices = 8, mostPuzzleMicrobatches = 32, mostPuzzleChunks = 4,
                     mostPuzzleTime = 99;

/// What is wrong with a puzzle, and what was expected; nothing if it can be played.
struct PuzzleFault {
    std::string field;  ///< as files name it: "microbatches"
    std::string problem, expected;
};
std::vector<PuzzleFault> puzzleFaults(const Puzzle& puzzle);

/// Kinds of passes in the order in which a microbatch has them on a stage.
const std::vector<TaskKind>& passKindsOf(const Puzzle& puzzle);
int durationOf(const Puzzle& puzzle, TaskKind kind, int stage);
/// What the pass adds to what its device holds: a forward when it starts, others when they end. In halves of
/// what a stage keeps for one microbatch: the input gradient frees one, the weight gradient the other.
int heldHalvesAfter(TaskKind kind);
/// Passes that there are to place.
int passCount(const Puzzle& puzzle);
/// The time that a device has to work.
int workOf(const Puzzle& puzzle, int device);
/// That of the device that works longest: no answer is shorter in either goal.
int longestWork(const Puzzle& puzzle);

/// "F3" or, where a device has several stages, "F3 of stage 5".
std::string passName(const Puzzle& puzzle, const Task& task);
/// "2 GPUs, 4 microbatches, forward 1, backward 2"; with chunks, placement, transfer and limit where there
/// are.
std::string describePuzzle(const Puzzle& puzzle);
/// "1 microbatch", "1½ microbatches"; of chunks where a device has several.
std::string heldText(const Puzzle& puzzle, int halves);

/// The stages as schedule families have them; a unit of time is a second.
ScheduleShape shapeOf(const Puzzle& puzzle);

}  // namespace stagecraft::puzzles
