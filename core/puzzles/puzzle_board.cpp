#include "core/puzzles/puzzle_board.h"

#include "core/base/counted.h"
#include "core/base/indices.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace stagecraft::puzzles {

namespace {

std::string deviceName(int device) { return "GPU " + std::to_string(device); }

/// Where in the lane a pass that starts then is to be.
std::size_t positionAt(const std::vector<PlacedPass>& lane, int start) {
    return static_cast<std::size_t>(
        std::find_if(lane.begin(), lane.end(), [&](const PlacedPass& pass) { return pass.start >= start; }) -
        lane.begin());
}

int peakHalvesOf(const std::vector<PlacedPass>& lane) {
    int held = 0, peak = 0;
    for (const PlacedPass& pass : lane) peak = std::max(peak, held += heldHalvesAfter(pass.task.kind));
    return peak;
}

bool startsEarlier(const PlacedPass& a, const PlacedPass& b) { return a.start < b.start; }

std::vector<PlacedPass> byStart(const PuzzleBoard::Lanes& lanes) {
    std::vector<PlacedPass> all;
    for (const std::vector<PlacedPass>& each : lanes) all.insert(all.end(), each.begin(), each.end());
    std::stable_sort(all.begin(), all.end(), startsEarlier);
    return all;
}

}  // namespace

std::optional<Task> inputOf(const Puzzle& puzzle, const Task& task) {
    const PassKind& does = passKind(task.kind);
    const int before = does.way == Way::forward ? task.stage - 1 : task.stage + 1;
    Task input = task;
    if (does.way != Way::none && before >= 0 && before < puzzle.stages()) {
        input.stage = before;
        return input;
    }
    if (!does.after) return std::nullopt;
    input.kind = *does.after;
    return input;
}

PuzzleBoard::PuzzleBoard(Puzzle puzzle) : puzzle_(std::move(puzzle)), lanes_(at(puzzle_.devices)) {
    const std::vector<PuzzleFault> faults = puzzleFaults(puzzle_);
    if (!faults.empty())
        throw std::invalid_argument(faults.front().field + ": " + faults.front().problem + "; expected " +
                                    faults.front().expected);
    workOutKnown();
}

const PlacedPass* PuzzleBoard::find(const Task& task) const {
    if (!unknownPass(task).empty()) return nullptr;
    const PlacedPass& known = known_[indexOf(task)];
    return known.start < 0 ? nullptr : &known;
}

std::size_t PuzzleBoard::indexOf(const Task& task) const {
    return (at(static_cast<int>(task.kind)) * at(puzzle_.stages()) + at(task.stage)) *
               at(puzzle_.microbatches) +
           at(task.microbatch);
}

void PuzzleBoard::workOutKnown() {
    known_.assign(at(taskKindCount * puzzle_.stages() * puzzle_.microbatches), {{}, -1, -1});
    for (const std::vector<PlacedPass>& each : lanes_)
        for (const PlacedPass& pass : each) known_[indexOf(pass.task)] = pass;
}

std::optional<int> PuzzleBoard::arrival(const Task& task) const {
    const std::optional<Task> input = inputOf(puzzle_, task);
    if (!input) return 0;
    const PlacedPass* before = find(*input);
    if (!before) return std::nullopt;
    return before->end +
           (input->stage == task.stage ? 0 : puzzle_.delayAfter(std::min(input->stage, task.stage)));
}

int PuzzleBoard::heldHalves(int device) const {
    int held = 0;
    for (const PlacedPass& pass : lane(device)) held += heldHalvesAfter(pass.task.kind);
    return held;
}

std::string PuzzleBoard::unknownPass(const Task& task) const {
    const std::vector<TaskKind>& kinds = passKindsOf(puzzle_);
    if (std::find(kinds.begin(), kinds.end(), task.kind) == kinds.end())
        return puzzle_.split
                   ? "backwards are split here: place an input gradient (I) and a weight gradient (W)"
                   : "backwards are whole here: place B";
    if (task.stage < 0 || task.stage >= puzzle_.stages())
        return "there is no stage " + std::to_string(task.stage) + ": the last is stage " +
               std::to_string(puzzle_.stages() - 1);
    if (task.microbatch < 0 || task.microbatch >= puzzle_.microbatches)
        return "there is no microbatch " + std::to_string(task.microbatch) + ": the last is microbatch " +
               std::to_string(puzzle_.microbatches - 1);
    return {};
}

std::string PuzzleBoard::inputRefusal(const Task& task, int device, std::optional<int> start) const {
    const std::optional<int> arrives = arrival(task);
    if (arrives && (!start || *start >= *arrives)) return {};
    const Task input = *inputOf(puzzle_, task);
    const int from = puzzle_.deviceOf(input.stage);
    std::string text = passName(puzzle_, task) + " on " + deviceName(device) + " must wait for " +
                       passName(puzzle_, input) + " on " + deviceName(from) + ", which ";
    if (!arrives) return text + "is not placed yet";
    const int end = find(input)->end;
    text += "ends at " + std::to_string(end);
    return *arrives > end ? text + " and arrives at " + std::to_string(*arrives) : text;
}

std::string PuzzleBoard::laneRefusal(const Task& task, int device, int start) const {
    if (start < 0) return "time begins at 0";
    const int end = start + durationOf(puzzle_, task.kind, task.stage);
    for (const PlacedPass& other : lane(device))
        if (start < other.end && end > other.start)
            return deviceName(device) + " runs " + passName(puzzle_, other.task) + " from " +
                   std::to_string(other.start) + " to " + std::to_string(other.end);
    if (puzzle_.memoryLimit == 0) return {};
    std::vector<PlacedPass> with = lane(device);
    with.insert(with.begin() + static_cast<std::ptrdiff_t>(positionAt(with, start)), {task, start, end});
    if (peakHalvesOf(with) <= 2 * puzzle_.memoryLimit) return {};
    int held = 0;
    for (const PlacedPass& pass : with) {
        if (pass.task == task) break;
        held += heldHalvesAfter(pass.task.kind);
    }
    if (held + 2 <= 2 * puzzle_.memoryLimit)
        return deviceName(device) + " would hold more than its limit of " +
               heldText(puzzle_, 2 * puzzle_.memoryLimit) + " later";
    const std::string limit = held == 2 * puzzle_.memoryLimit
                                  ? ", its limit"
                                  : " and its limit is " + heldText(puzzle_, 2 * puzzle_.memoryLimit);
    return deviceName(device) + " holds " + heldText(puzzle_, held) + limit +
           (puzzle_.split ? ": run input and weight gradients first" : ": run a backward first");
}

std::string PuzzleBoard::refusal(const Task& task, int device, std::optional<int> start) const {
    if (std::string unknown = unknownPass(task); !unknown.empty()) return unknown;
    const int own = puzzle_.deviceOf(task.stage);
    if (own != device)
        return "stage " + std::to_string(task.stage) + " is on " + deviceName(own) + ", so " +
               passName(puzzle_, task) + " belongs there";
    if (const PlacedPass* placed = find(task))
        return passName(puzzle_, task) + " runs on " + deviceName(device) + " already, from " +
               std::to_string(placed->start) + " to " + std::to_string(placed->end);
    if (std::string waits = inputRefusal(task, device, start); !waits.empty()) return waits;
    return laneRefusal(task, device, start.value_or(std::max(freeAt(device), *arrival(task))));
}

std::string PuzzleBoard::place(const Task& task, std::optional<int> start) {
    const bool known = task.stage >= 0 && task.stage < puzzle_.stages();
    const int device = known ? puzzle_.deviceOf(task.stage) : 0;
    if (std::string why = refusal(task, device, start); !why.empty()) return why;
    keepStep();
    const int from = start.value_or(std::max(freeAt(device), *arrival(task)));
    std::vector<PlacedPass>& own = lanes_[at(device)];
    own.insert(own.begin() + static_cast<std::ptrdiff_t>(positionAt(own, from)),
               {task, from, from + durationOf(puzzle_, task.kind, task.stage)});
    known_[indexOf(task)] = {task, from, from + durationOf(puzzle_, task.kind, task.stage)};
    return {};
}

int PuzzleBoard::takeBack(const Task& task) {
    if (!find(task)) return 0;
    PuzzleBoard fresh(puzzle_);
    int gone = 0;
    for (const PlacedPass& pass : byStart(lanes_))
        if (pass.task == task || !fresh.place(pass.task, pass.start).empty()) ++gone;
    keepStep();
    lanes_ = std::move(fresh.lanes_);
    workOutKnown();
    return gone;
}

std::string PuzzleBoard::replace(Lanes lanes) {
    PuzzleBoard fresh(puzzle_);
    for (const PlacedPass& pass : byStart(lanes))
        if (std::string why = fresh.place(pass.task, pass.start); !why.empty()) return why;
    keepStep();
    lanes_ = std::move(fresh.lanes_);
    workOutKnown();
    return {};
}

void PuzzleBoard::keepStep() {
    future_.clear();
    if (!inStep_) past_.push_back(lanes_);
}

void PuzzleBoard::beginStep() {
    past_.push_back(lanes_);
    inStep_ = true;
}

void PuzzleBoard::endStep() {
    inStep_ = false;
    if (!past_.empty() && past_.back() == lanes_) past_.pop_back();
}

std::vector<ReadyPass> PuzzleBoard::ready() const {
    std::vector<ReadyPass> all;
    for (int stage = 0; stage < puzzle_.stages(); ++stage)
        for (const TaskKind kind : passKindsOf(puzzle_)) {
            std::optional<ReadyPass> first;
            const int device = puzzle_.deviceOf(stage);
            for (int microbatch = 0; microbatch < puzzle_.microbatches; ++microbatch) {
                const Task task{kind, stage, microbatch};
                if (find(task)) continue;
                const std::optional<int> arrives = arrival(task);
                if (!arrives || (first && first->arrival <= *arrives)) continue;
                first = ReadyPass{task, device, std::max(freeAt(device), *arrives), *arrives};
            }
            if (!first) continue;
            first->fits = refusal(first->task, device).empty();
            all.push_back(*first);
        }
    std::stable_sort(all.begin(), all.end(), [](const ReadyPass& a, const ReadyPass& b) {
        return std::pair(a.device, a.start) < std::pair(b.device, b.start);
    });
    return all;
}

PuzzleScore PuzzleBoard::score() const {
    PuzzleScore score;
    score.passes = passCount(puzzle_);
    int busy = 0;
    for (const std::vector<PlacedPass>& each : lanes_) {
        if (each.empty()) continue;
        score.placed += static_cast<int>(each.size());
        score.makespan = std::max(score.makespan, each.back().end);
        score.span = std::max(score.span, each.back().end - each.front().start);
        score.peakHalves = std::max(score.peakHalves, peakHalvesOf(each));
        for (const PlacedPass& pass : each) busy += pass.end - pass.start;
    }
    if (score.makespan > 0) score.bubbleShare = 1 - double(busy) / (double(score.makespan) * puzzle_.devices);
    return score;
}

void PuzzleBoard::undo() {
    if (past_.empty()) return;
    future_.push_back(std::exchange(lanes_, std::move(past_.back())));
    past_.pop_back();
    workOutKnown();
}

void PuzzleBoard::redo() {
    if (future_.empty()) return;
    past_.push_back(std::exchange(lanes_, std::move(future_.back())));
    future_.pop_back();
    workOutKnown();
}

std::vector<std::vector<Task>> PuzzleBoard::orders() const {
    std::vector<std::vector<Task>> orders(lanes_.size());
    for (std::size_t device = 0; device < lanes_.size(); ++device)
        for (const PlacedPass& pass : lanes_[device]) orders[device].push_back(pass.task);
    return orders;
}

PuzzleBoard::Lanes PuzzleBoard::tightened() const {
    PuzzleBoard board(puzzle_);
    placeOrders(board, orders());
    return board.lanes_;
}

std::string placeOrders(PuzzleBoard& board, const std::vector<std::vector<Task>>& orders) {
    std::vector<std::size_t> reached(orders.size(), 0);
    std::string why;
    for (bool moved = true; moved;) {
        moved = false;
        why.clear();
        for (std::size_t device = 0; device < orders.size(); ++device)
            while (reached[device] < orders[device].size()) {
                const Task& task = orders[device][reached[device]];
                std::string refused = board.refusal(task, static_cast<int>(device));
                if (refused.empty()) {
                    board.place(task);
                    ++reached[device];
                    moved = true;
                    continue;
                }
                if (why.empty()) why = std::move(refused);
                break;
            }
    }
    return why;
}

}  // namespace stagecraft::puzzles
