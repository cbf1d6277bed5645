#pragma once

#include "core/planners/madpipe/pattern_problem.h"

#include <limits>
#include <map>
#include <optional>
#include <string>

namespace stagecraft::planners {

/// The second phase as an integer program (E-MP-10; MODEL.md section 9), in the LP format that cbc reads.
/// With the period as the unit of time everything is linear: task i starts at t_i in [0, 1] with shift h_i,
/// lasts L times its seconds, L being one over the period, and z_p says which of pair p comes first in the
/// period. L is what is maximised, in units of one over the busiest resource's load, so that 1 is the most.
/// @param belowS only periods up to this are looked for
std::string patternProgram(const PatternProblem& problem,
                           double belowS = std::numeric_limits<double>::infinity());

/// The period of an objective value.
double periodOfObjective(const PatternProblem& problem, double objective);

/// The pattern of the least period with the shifts and orders of a solution, which has rounding in it; or
/// nothing if they do not make one that fits.
std::optional<TimedPattern> patternOfSolution(const PatternProblem& problem,
                                              const std::map<std::string, double>& values);

}  // namespace stagecraft::planners
