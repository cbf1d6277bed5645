#pragma once

#include "core/planners/madpipe/pattern_problem.h"

#include <limits>
#include <memory>
#include <optional>

namespace stagecraft::planners {

/// The pattern of the least period in which the pairs have these numbers (TaskPair), or nothing. Says nothing
/// of memory.
std::optional<TimedPattern> leastPeriodOf(const PatternProblem& problem, const std::vector<TaskPair>& pairs,
                                          const std::vector<int>& numbers);

/// Exact search for the pattern of the least period: branch and bound over the pairs' numbers. A node bounds
/// each number from both sides, which makes a system of difference constraints in the starts; the least
/// period at which it has no circle of positive length (found by Newton's method on that circle) bounds all
/// patterns below. Where the starts that come with it make two tasks overlap or store too much, the node is
/// split there. Best bound first, but each time down to a leaf.
class PatternSearch {
public:
    /// @param belowS only periods clearly below this are looked for
    explicit PatternSearch(const PatternProblem& problem,
                           double belowS = std::numeric_limits<double>::infinity());
    ~PatternSearch();

    /// Works on at most that many nodes. True: it is done, best() is proven.
    bool run(int nodes);
    bool done() const;
    const std::optional<TimedPattern>& best() const;
    /// No pattern has a shorter period; infinity: there is none (below what was asked for).
    double boundS() const;
    /// A pattern from elsewhere that fits.
    void offer(const TimedPattern& pattern);
    long nodes() const;

private:
    class Search;
    std::unique_ptr<Search> search_;
};

}  // namespace stagecraft::planners
