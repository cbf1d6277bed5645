#pragma once

#include "core/experiments/cell_result.h"
#include "core/experiments/grid.h"

#include <string>
#include <vector>

namespace stagecraft {

enum class Verdict { holds, fails, undecided };
const char* verdictName(Verdict verdict);

/// One of the numbers that a claim is about, and where it comes from.
struct ClaimNumber {
    std::size_t point = 0;  ///< of the grid
    double number = 0;
};

struct Judgement {
    Verdict verdict = Verdict::undecided;
    double number = 0;  ///< the aggregate; every: the one that is furthest from holding
    std::vector<ClaimNumber> numbers;
    std::string because;  ///< "1.03 at most, wanted below 1: worst 1.03 at microbatches 8, seed 2"
};

/// Undecided where a cell that the claim needs was not run or went wrong. A cell without a plan makes a claim
/// about every number false; others are judged by the rest, and say so.
Judgement judge(const Grid& grid, const std::vector<CellResult>& cells, const Claim& claim);
std::vector<Judgement> judgeAll(const Grid& grid, const std::vector<CellResult>& cells);

}  // namespace stagecraft
