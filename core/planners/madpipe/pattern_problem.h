#pragma once

#include "core/schedules/periodic_pattern.h"

#include <string>
#include <vector>

namespace stagecraft::planners {

/// MadPipe's second phase (4.3): stages on devices, some of which hold several; wanted is the periodic
/// pattern of the least period within the memory. A batch runs the tasks of `path` one after the other; two
/// tasks on one resource, whatever their batches, never overlap; links are half duplex (E-MP-10).
struct PatternProblem {
    std::vector<PatternTask> path;
    std::vector<int> resources;  ///< by task: of devices and links, numbered from 0
    int resourceCount = 0;

    /// What a stage holds of a batch from the start of its forward to the end of its backward.
    struct Held {
        int forward = 0, backward = 0;  ///< tasks
        double bytes = 0;
    };
    /// A device, what it holds, and what is left for it beside weights and buffers.
    struct Store {
        int device = 0;
        std::vector<Held> held;
        double roomBytes = 0;
        double limitBytes = 0;
    };
    std::vector<Store> stores;

    int tasks() const { return static_cast<int>(path.size()); }
    /// The load of the busiest resource: no period is shorter.
    double busiestS() const;
    /// All tasks one after the other: long enough for every pattern that fits at all.
    double sequentialS() const;
};

/// @throws std::invalid_argument as batchPath()
PatternProblem patternProblem(const CostModel& costs, const std::vector<Stage>& stages);

/// Two tasks of one resource, `first` before `second` in the path. Of the batch that enters at 0 they start
/// distance >= q * T + duration(first) and <= (q + 1) * T - duration(second) apart for one whole number q:
/// the only choice that a pattern leaves open.
struct TaskPair {
    int first = 0;
    int second = 0;
    bool operator==(const TaskPair&) const = default;
};
std::vector<TaskPair> taskPairs(const PatternProblem& problem);

/// How many batches of `held` are stored when task `at`, a forward of the same device, starts, as a sum of
/// the pairs' numbers: constant + sum of sign * q[pair].
struct BatchCount {
    int constant = 0;
    std::vector<std::pair<int, int>> terms;  ///< pair, sign
};
BatchCount batchesAt(const std::vector<TaskPair>& pairs, const PatternProblem::Held& held, int at);

struct TimedPattern {
    double periodS = 0;
    std::vector<double> startsS;  ///< by task, of the batch that enters at 0
};

/// Why `timed` is no pattern for the problem (an overlap, a task before its input, too many bytes), or
/// nothing. Works from the starts alone.
std::string whyNoPattern(const PatternProblem& problem, const TimedPattern& timed);

/// What device stores most at once if it runs that pattern, beside weights and buffers, by store.
std::vector<double> storedBytes(const PatternProblem& problem, const TimedPattern& timed);

}  // namespace stagecraft::planners
