#pragma once

#include <vector>

namespace stagecraft::testing {

/// A rank's passes of one microbatch, in whole units.
struct GreedyTimes {
    long forward = 1, inputGradient = 1, weightGradient = 1;
};

/// One stage a rank.
struct GreedyProblem {
    std::vector<GreedyTimes> times;  ///< by rank
    int microbatches = 1;
    long transfer = 0;  ///< between neighbours, in the units of the passes
    int limit = 1;      ///< microbatches a rank may hold; each part of the backward frees half of one
};

/// The longest span of a rank, in the best of the eight greedy orders of Qi et al. (ICLR 2024, Sec. 3.1).
/// Written for the tests, from the description of the orders; it shares nothing with the program's search.
long shortestSpanOfEight(const GreedyProblem& problem);

}  // namespace stagecraft::testing
