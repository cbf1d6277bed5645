#include "core/puzzles/least_time.h"

#include "core/base/indices.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace stagecraft::puzzles {

namespace {

constexpr int never = 1'000'000;

/// All passes of a kind on a stage.
struct PassClass {
    TaskKind kind = TaskKind::forward;
    int stage = 0, device = 0, duration = 0;
    int input = -1, delay = 0;  ///< which class it waits for, and how long after its end
    int tail = 0;               ///< from its end to the end of what must follow
    bool frees() const { return kind != TaskKind::forward; }
};

/// In an order in which each comes after its input.
std::vector<PassClass> passClasses(const Puzzle& puzzle) {
    std::vector<PassClass> classes;
    const int stages = puzzle.stages();
    const auto add = [&](TaskKind kind, int stage, int input, int delay) {
        classes.push_back(
            {kind, stage, puzzle.deviceOf(stage), durationOf(puzzle, kind, stage), input, delay, 0});
    };
    for (int stage = 0; stage < stages; ++stage)
        add(TaskKind::forward, stage, stage - 1, stage > 0 ? puzzle.delayAfter(stage - 1) : 0);
    const TaskKind gradient = puzzle.split ? TaskKind::inputGradient : TaskKind::backward;
    for (int stage = stages - 1; stage >= 0; --stage)
        add(gradient, stage, static_cast<int>(classes.size()) - 1,
            stage + 1 < stages ? puzzle.delayAfter(stage) : 0);
    if (puzzle.split)
        for (int stage = 0; stage < stages; ++stage)
            add(TaskKind::weightGradient, stage, 2 * stages - 1 - stage, 0);
    for (std::size_t i = classes.size(); i-- > 0;)
        if (const PassClass& each = classes[i]; each.input >= 0) {
            int& tail = classes[at(each.input)].tail;
            tail = std::max(tail, each.delay + each.duration + each.tail);
        }
    return classes;
}

/// Depth-first, in order of time: at each instant each free device takes a pass that is ready or waits for
/// one that is not. A pass that was ready when its device began to wait is not what it waited for, and what
/// could have run while it waited should have.
class TimeSearch {
public:
    TimeSearch(const PuzzleBoard& board, const SearchLimits& limits)
        : puzzle_(board.puzzle()),
          limits_(limits),
          classes_(passClasses(puzzle_)),
          ends_(classes_.size()),
          counts_(classes_.size(), 0),
          free_(at(puzzle_.devices)),
          held_(at(puzzle_.devices)),
          waits_(at(puzzle_.devices)),
          own_(at(puzzle_.devices)),
          heads_(classes_.size()) {
        for (std::size_t i = 0; i < classes_.size(); ++i) own_[at(classes_[i].device)].push_back(i);
        limitHalves_ = puzzle_.memoryLimit > 0 ? 2 * puzzle_.memoryLimit : never;
        if (limits.limitHalves > 0) limitHalves_ = std::min(limitHalves_, limits.limitHalves);
        take(board);
    }

    LeastTime run() {
        LeastTime result;
        int most = bound_;  // one pass after the other takes no longer
        for (const PassClass& each : classes_) most += (puzzle_.microbatches) * (each.duration + each.delay);
        const int last = limits_.mostTime > 0 ? limits_.mostTime : most;
        for (target_ = std::max(bound_, lowerBound(0)); target_ <= last; ++target_) {
            cut_ = false;
            result.found = complete(0);
            result.possible = result.found || cut_;
            if (result.found || !cut_ || nodes_ > limits_.mostNodes) break;
        }
        result.bound = target_;
        result.nodes = nodes_;
        if (result.found) result.passes = std::move(path_);
        return result;
    }

private:
    struct Wait {
        unsigned excluded = 0;  ///< passes that were ready when it began, as readyOn() has them
        int until = never;      ///< when one of them could have run instead
    };

    void take(const PuzzleBoard& board) {
        for (std::size_t i = 0; i < classes_.size(); ++i) {
            for (const PlacedPass& pass : board.lane(classes_[i].device))
                if (pass.task.kind == classes_[i].kind && pass.task.stage == classes_[i].stage)
                    ends_[i].push_back(pass.end);
            std::sort(ends_[i].begin(), ends_[i].end());
            counts_[i] = static_cast<int>(ends_[i].size());
        }
        for (int device = 0; device < puzzle_.devices; ++device) {
            free_[at(device)] = board.freeAt(device);
            held_[at(device)] = board.heldHalves(device);
            bound_ = std::max(bound_, board.freeAt(device));
        }
    }

    int left(std::size_t i) const { return puzzle_.microbatches - counts_[i]; }
    /// When the input of the next pass is there; `never`: its input is not placed.
    int arrivalOf(std::size_t i) const {
        if (classes_[i].input < 0) return 0;
        const std::size_t input = at(classes_[i].input);
        return counts_[input] > counts_[i] ? inputEnd(i) + classes_[i].delay : never;
    }
    /// Passes of the board may be of any microbatch; the next one is that whose input ends first among those
    /// that are left, and what was taken had ended before.
    int inputEnd(std::size_t i) const { return ends_[at(classes_[i].input)][at(counts_[i])]; }
    bool fits(const PassClass& each) const {
        return each.frees() || held_[at(each.device)] + 2 <= limitHalves_;
    }

    /// When the next pass of each class can start at the earliest, as far as inputs and its device say.
    void workOutHeads(int now) {
        for (std::size_t i = 0; i < classes_.size(); ++i) {
            const PassClass& each = classes_[i];
            int head = std::max(now, free_[at(each.device)]);
            if (left(i) > 0 && each.input >= 0) {
                const int arrives = arrivalOf(i);
                head = std::max(head, arrives < never ? arrives
                                                      : heads_[at(each.input)] +
                                                            classes_[at(each.input)].duration + each.delay);
            }
            heads_[i] = head;
        }
    }

    /// No continuation ends earlier.
    int lowerBound(int now) {
        workOutHeads(now);
        int bound = bound_;
        for (const std::vector<std::size_t>& own : own_)
            for (const std::size_t threshold : own) {
                int head = never, work = 0;
                for (const std::size_t i : own) {
                    if (classes_[i].tail < classes_[threshold].tail || left(i) == 0) continue;
                    head = std::min(head, heads_[i]);
                    work += left(i) * classes_[i].duration;
                }
                if (work > 0) bound = std::max(bound, head + work + classes_[threshold].tail);
            }
        for (std::size_t i = 0; i < classes_.size(); ++i)
            if (left(i) > 0)
                bound = std::max(bound, heads_[i] + left(i) * classes_[i].duration + classes_[i].tail);
        return bound;
    }

    bool isDone() const {
        for (std::size_t i = 0; i < classes_.size(); ++i)
            if (left(i) > 0) return false;
        return true;
    }

    /// A bit for each class of the device, in their order.
    unsigned readyOn(int device, int now) const {
        const std::vector<std::size_t>& own = own_[at(device)];
        unsigned ready = 0;
        for (std::size_t bit = 0; bit < own.size(); ++bit)
            if (left(own[bit]) > 0 && arrivalOf(own[bit]) <= now && fits(classes_[own[bit]]))
                ready |= 1u << bit;
        return ready;
    }

    int nextEvent(int now) const {
        int next = never;
        for (const int time : free_)
            if (time > now) next = std::min(next, time);
        for (std::size_t i = 0; i < classes_.size(); ++i)
            if (left(i) > 0)
                if (const int arrives = arrivalOf(i); arrives > now) next = std::min(next, arrives);
        return next;
    }

    /// The state with times counted from now: what can follow from it is the same.
    std::string keyOf(int now) const {
        std::string key;
        const auto add = [&](int value) {
            key += static_cast<char>(value & 0xff);
            key += static_cast<char>((value >> 8) & 0xff);
        };
        for (std::size_t i = 0; i < classes_.size(); ++i) {
            key += static_cast<char>(counts_[i]);
            if (classes_[i].input < 0) continue;
            // What has arrived is all the same; the rest says when it does.
            const std::vector<int>& inputs = ends_[at(classes_[i].input)];
            const auto late =
                std::upper_bound(inputs.begin() + std::min(counts_[i], counts_[at(classes_[i].input)]),
                                 inputs.end(), now - classes_[i].delay);
            key += static_cast<char>(inputs.end() - late);
            for (auto each = late; each != inputs.end(); ++each) add(*each + classes_[i].delay - now);
        }
        for (std::size_t device = 0; device < free_.size(); ++device) {
            add(std::max(0, free_[device] - now));
            add(waits_[device].until == never ? 0 : 1 + waits_[device].until - now);
            add(static_cast<int>(waits_[device].excluded));
        }
        return key;
    }

    bool complete(int now) {
        if (isDone()) return true;
        if (++nodes_ > limits_.mostNodes || lowerBound(now) > target_) {
            cut_ = true;
            return false;
        }
        for (int device = 0; device < puzzle_.devices; ++device) {
            if (free_[at(device)] > now) continue;
            if (waits_[at(device)].until <= now) return false;
            if (const unsigned ready = readyOn(device, now) & ~waits_[at(device)].excluded)
                return branch(device, ready, now);
        }
        const int next = nextEvent(now);
        return next < never && complete(next);
    }

    bool branch(int device, unsigned ready, int now) {
        std::string key = keyOf(now);
        if (const auto known = failed_.find(key); known != failed_.end() && known->second >= target_ - now) {
            cut_ = cut_ || known->second < never;
            return false;
        }
        const bool cutBefore = std::exchange(cut_, false);
        for (const std::size_t i : byPromise(device, ready))
            if (run(i, now)) return true;
        if (mayWait(device, ready, now) && wait(device, ready, now)) return true;
        if (nodes_ <= limits_.mostNodes) failed_[std::move(key)] = cut_ ? target_ - now : never;
        cut_ = cut_ || cutBefore;
        return false;
    }

    /// Weight gradients last, others by what has to follow.
    std::vector<std::size_t> byPromise(int device, unsigned ready) const {
        std::vector<std::size_t> order;
        for (std::size_t bit = 0; bit < own_[at(device)].size(); ++bit)
            if (ready >> bit & 1) order.push_back(own_[at(device)][bit]);
        const auto rank = [this](std::size_t i) {
            const PassClass& each = classes_[i];
            const int kind = each.kind == TaskKind::weightGradient ? 2 : each.frees() ? 0 : 1;
            return std::pair(kind, -each.tail);
        };
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
        return order;
    }

    bool run(std::size_t i, int now) {
        const PassClass& each = classes_[i];
        const std::size_t device = at(each.device);
        const int freeBefore = free_[device];
        const Wait waitBefore = std::exchange(waits_[device], {});
        const Task task{each.kind, each.stage, counts_[i]};
        free_[device] = now + each.duration;
        held_[device] += heldHalvesAfter(each.kind);
        ends_[i].push_back(free_[device]);
        ++counts_[i];
        path_.push_back({task, now, now + each.duration});
        if (complete(now)) return true;
        path_.pop_back();
        --counts_[i];
        ends_[i].pop_back();
        held_[device] -= heldHalvesAfter(each.kind);
        free_[device] = freeBefore;
        waits_[device] = waitBefore;
        return false;
    }

    /// A pass that takes nothing of memory can run while the device waits, unless what it waits for comes
    /// before its end.
    bool canRunMeanwhile(const PassClass& each) const { return each.frees() || limitHalves_ == never; }

    bool mayWait(int device, unsigned ready, int now) {
        workOutHeads(now);
        const std::vector<std::size_t>& own = own_[at(device)];
        const unsigned known = ready | waits_[at(device)].excluded;
        int earliest = never, shortest = never;
        for (std::size_t bit = 0; bit < own.size(); ++bit) {
            const std::size_t i = own[bit];
            if (left(i) == 0) continue;
            if (!(known >> bit & 1)) {
                if (heads_[i] > now) earliest = std::min(earliest, heads_[i]);
            } else if (canRunMeanwhile(classes_[i])) {
                shortest = std::min(shortest, classes_[i].duration);
            }
        }
        return earliest < never && earliest < now + shortest;
    }

    bool wait(int device, unsigned ready, int now) {
        const std::vector<std::size_t>& own = own_[at(device)];
        Wait& waits = waits_[at(device)];
        const Wait before = waits;
        waits.excluded |= ready;
        for (std::size_t bit = 0; bit < own.size(); ++bit)
            if ((ready >> bit & 1) && canRunMeanwhile(classes_[own[bit]]))
                waits.until = std::min(waits.until, now + classes_[own[bit]].duration);
        if (complete(now)) return true;
        waits = before;
        return false;
    }

    const Puzzle puzzle_;
    const SearchLimits limits_;
    const std::vector<PassClass> classes_;
    std::vector<std::vector<int>> ends_;         ///< [class], ascending
    std::vector<int> counts_;                    ///< by class
    std::vector<int> free_, held_;               ///< by device
    std::vector<Wait> waits_;                    ///< by device
    std::vector<std::vector<std::size_t>> own_;  ///< the classes of each device
    std::vector<int> heads_;                     ///< by class
    int limitHalves_ = never, bound_ = 0, target_ = 0;
    std::int64_t nodes_ = 0;
    bool cut_ = false;  ///< something was left out that may end later than asked for
    std::vector<PlacedPass> path_;
    /// By state, the longest time from it on in which it is known not to end.
    std::unordered_map<std::string, int> failed_;
};

}  // namespace

LeastTime leastTime(const PuzzleBoard& board, const SearchLimits& limits) {
    return TimeSearch(board, limits).run();
}

}  // namespace stagecraft::puzzles
