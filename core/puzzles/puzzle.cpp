#include "core/puzzles/puzzle.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/formats/pass_text.h"

#include <algorithm>

namespace stagecraft::puzzles {

namespace {

class FaultList {
public:
    void range(const char* field, int value, int least, int most) {
        if (value < least || value > most)
            add(field, "it is " + std::to_string(value),
                "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    void add(const char* field, std::string problem, std::string expected) {
        faults_.push_back({field, std::move(problem), std::move(expected)});
    }
    bool empty() const { return faults_.empty(); }
    std::vector<PuzzleFault> take() { return std::move(faults_); }

private:
    std::vector<PuzzleFault> faults_;
};

void checkTimes(const Puzzle& puzzle, FaultList& faults) {
    if (puzzle.times.size() != 1 && puzzle.times.size() != at(puzzle.stages()))
        return faults.add("times", "there are times of " + counted((long long)puzzle.times.size(), "stage"),
                          "those of one for all, or of each of " + counted(puzzle.stages(), "stage"));
    for (const UnitTimes& times : puzzle.times) {
        faults.range("times", times.forward, 1, mostPuzzleTime);
        faults.range("times", times.backward, 1, mostPuzzleTime);
        if (!puzzle.split) continue;
        faults.range("times", times.inputGradient(), 1, mostPuzzleTime);
        faults.range("times", times.weightGradient, 1, mostPuzzleTime);
    }
}

/// So that none waits for another on its link.
void checkTransfer(const Puzzle& puzzle, FaultList& faults) {
    int shortest = mostPuzzleTime;
    for (const UnitTimes& times : puzzle.times)
        shortest = std::min({shortest, times.forward, puzzle.split ? times.inputGradient() : times.backward});
    if (puzzle.transfer > shortest)
        faults.add("transfer", "it is " + std::to_string(puzzle.transfer),
                   "at most " + std::to_string(shortest) +
                       ", the shortest forward or backward, so that no transfer waits for another");
}

std::string timesText(const Puzzle& puzzle, const UnitTimes& times) {
    const std::string forward = "forward " + std::to_string(times.forward);
    if (!puzzle.split) return forward + ", backward " + std::to_string(times.backward);
    return forward + ", input gradient " + std::to_string(times.inputGradient()) + ", weight gradient " +
           std::to_string(times.weightGradient);
}

std::string allTimesText(const Puzzle& puzzle) {
    if (puzzle.times.size() == 1) return timesText(puzzle, puzzle.times.front());
    std::string text;
    for (const UnitTimes& times : puzzle.times) {
        text += text.empty() ? "by stage " : ", ";
        text += std::to_string(times.forward) + "/";
        text += puzzle.split
                    ? std::to_string(times.inputGradient()) + "/" + std::to_string(times.weightGradient)
                    : std::to_string(times.backward);
    }
    return text;
}

}  // namespace

std::vector<PuzzleFault> puzzleFaults(const Puzzle& puzzle) {
    FaultList faults;
    faults.range("devices", puzzle.devices, 1, mostPuzzleDevices);
    faults.range("microbatches", puzzle.microbatches, 1, mostPuzzleMicrobatches);
    faults.range("chunks", puzzle.chunks, 1, mostPuzzleChunks);
    faults.range("transfer", puzzle.transfer, 0, mostPuzzleTime);
    faults.range("memory", puzzle.memoryLimit, 0, mostPuzzleMicrobatches * mostPuzzleChunks);
    if (!faults.empty()) return faults.take();
    if (puzzle.placement == Placement::vee && puzzle.chunks != 2)
        faults.add("placement", "stages are in a V and there are " + counted(puzzle.chunks, "chunk"),
                   "2 chunks on each device");
    if (puzzle.placement == Placement::onePerRank && puzzle.chunks != 1)
        faults.add("placement",
                   "there is one stage on each device and there are " + counted(puzzle.chunks, "chunk"),
                   "1 chunk, or another placement");
    if (puzzle.placement == Placement::opposite)
        faults.add("placement", "there are two copies of the network", "one copy");
    if (puzzle.memoryLimit > 0 && puzzle.memoryLimit < puzzle.chunks)
        faults.add(
            "memory", "the limit is " + std::to_string(puzzle.memoryLimit),
            "at least " + std::to_string(puzzle.chunks) + ", one microbatch of every stage of a device");
    checkTimes(puzzle, faults);
    if (faults.empty()) checkTransfer(puzzle, faults);
    return faults.take();
}

const std::vector<TaskKind>& passKindsOf(const Puzzle& puzzle) {
    static const std::vector<TaskKind> whole = {TaskKind::forward, TaskKind::backward},
                                       split = {TaskKind::forward, TaskKind::inputGradient,
                                                TaskKind::weightGradient};
    return puzzle.split ? split : whole;
}

int durationOf(const Puzzle& puzzle, TaskKind kind, int stage) {
    const UnitTimes& times = puzzle.timesOf(stage);
    return kind == TaskKind::forward         ? times.forward
           : kind == TaskKind::backward      ? times.backward
           : kind == TaskKind::inputGradient ? times.inputGradient()
                                             : times.weightGradient;
}

int heldHalvesAfter(TaskKind kind) {
    return kind == TaskKind::forward ? 2 : kind == TaskKind::backward ? -2 : -1;
}

int passCount(const Puzzle& puzzle) {
    return puzzle.stages() * puzzle.microbatches * static_cast<int>(passKindsOf(puzzle).size());
}

int workOf(const Puzzle& puzzle, int device) {
    int work = 0;
    for (int stage = 0; stage < puzzle.stages(); ++stage)
        if (puzzle.deviceOf(stage) == device)
            work += puzzle.timesOf(stage).forward + puzzle.timesOf(stage).backward;
    return work * puzzle.microbatches;
}

int longestWork(const Puzzle& puzzle) {
    int longest = 0;
    for (int device = 0; device < puzzle.devices; ++device)
        longest = std::max(longest, workOf(puzzle, device));
    return longest;
}

std::string passName(const Puzzle& puzzle, const Task& task) {
    return passText(task, false, false) +
           (puzzle.chunks > 1 ? " of stage " + std::to_string(task.stage) : std::string());
}

std::string describePuzzle(const Puzzle& puzzle) {
    std::string text =
        counted(puzzle.devices, "GPU") + ", " + counted(puzzle.microbatches, "microbatch", "microbatches");
    if (puzzle.chunks > 1)
        text += ", " + counted(puzzle.chunks, "chunk") +
                (puzzle.placement == Placement::vee ? " per GPU in a V" : " per GPU");
    text += ", " + allTimesText(puzzle);
    if (puzzle.transfer > 0) text += ", transfer " + std::to_string(puzzle.transfer);
    if (puzzle.memoryLimit > 0) text += ", memory for " + heldText(puzzle, 2 * puzzle.memoryLimit);
    return text;
}

std::string heldText(const Puzzle& puzzle, int halves) {
    const int whole = halves / 2;
    const bool chunks = puzzle.chunks > 1;
    if (halves % 2 == 0)
        return chunks ? counted(whole, "chunk") : counted(whole, "microbatch", "microbatches");
    return (whole > 0 ? std::to_string(whole) : std::string()) + "½ " +
           (chunks ? (whole > 0 ? "chunks" : "chunk") : (whole > 0 ? "microbatches" : "microbatch"));
}

ScheduleShape shapeOf(const Puzzle& puzzle) {
    ScheduleShape shape;
    shape.ranks = puzzle.devices;
    shape.microbatches = puzzle.microbatches;
    for (int stage = 0; stage < puzzle.stages(); ++stage) {
        shape.rankOf.push_back(puzzle.deviceOf(stage));
        shape.pipelineOf.push_back(0);
        PassTimes times;
        times.forwardS = durationOf(puzzle, TaskKind::forward, stage);
        times.weightGradientS = puzzle.timesOf(stage).weightGradient;
        times.inputGradientS = puzzle.timesOf(stage).backward - times.weightGradientS;
        if (stage + 1 < puzzle.stages()) times.toNextS = times.fromNextS = puzzle.delayAfter(stage);
        shape.times.push_back(times);
    }
    return shape;
}

}  // namespace stagecraft::puzzles
