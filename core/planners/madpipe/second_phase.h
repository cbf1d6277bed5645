#pragma once

#include "core/base/work_context.h"
#include "core/planners/madpipe/pattern_problem.h"

#include <limits>
#include <optional>
#include <string>

namespace stagecraft::planners {

enum class PatternSolver {
    own,   ///< PatternSearch
    cbc,   ///< the integer program
    both,  ///< the built-in search for a while, then beside cbc until one has proven it
};

struct SecondPhaseOptions {
    PatternSolver solver = PatternSolver::both;
    double timeLimitS = 60;                                   ///< MadPipe 5.1: one minute
    double belowS = std::numeric_limits<double>::infinity();  ///< only patterns with a shorter period
    /// Nodes of the built-in search before cbc is asked to help; up to here the outcome does not depend on
    /// time.
    int nodesAlone = 20000;
};

struct SecondPhase {
    std::optional<TimedPattern> pattern;  ///< the best found
    double boundS = 0;     ///< no pattern has a shorter period; infinity: there is none below what was asked
    bool proven = false;   ///< pattern is the best there is, or there is none
    std::string provenBy;  ///< "built-in search" or "cbc"
    bool cbcIsMissing = false;  ///< it was asked for

    /// (period - bound) / period of the best pattern.
    double gap() const { return pattern ? 1 - boundS / pattern->periodS : 1; }
};

/// MadPipe 4.3: the pattern of the least period for a fixed allocation. A request to stop (context.enough)
/// or the time limit ends it with the best so far. @throws Cancelled
SecondPhase solvePattern(const PatternProblem& problem, const SecondPhaseOptions& options,
                         const WorkContext& context = {});

}  // namespace stagecraft::planners
