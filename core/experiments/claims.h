#pragma once

#include "core/experiments/cell_result.h"
#include "core/experiments/grid.h"
#include "core/experiments/noise.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::experiments {

enum class Verdict { holds, fails, undecided };
const char* verdictName(Verdict verdict);

struct Judgement {
    Verdict verdict = Verdict::undecided;
    double number = 0;  ///< the aggregate; every: the one that is furthest from holding
    std::vector<ClaimNumber> numbers;
    /// Of a claim on trainings: how many seeds there are, and the standard error of `number` over them; none
    /// for one seed.
    int seeds = 0;
    std::optional<double> standardError;
    /// The source's own number: as the claim states it, else formed of what is printed for the cells.
    std::optional<PrintedRange> printed;
    std::vector<ClaimNumber> printedNumbers;  ///< those that it is formed of; none where the claim states it
    std::string because;  ///< "1.03 at most, wanted below 1: worst 1.03 at microbatches 8, seed 2"
};

/// More and less are strict: what is equal but for rounding is neither. A claim on trainings holds where its
/// number is within the bounds by two standard errors or more (noise.h), fails where it is outside by as
/// much, and is undecided between, and with one seed. Undecided also where a cell that the claim needs was
/// not run or went wrong. A cell without a plan makes a claim about every number false; others are judged by
/// the rest, and say so.
Judgement judge(const Grid& grid, const std::vector<CellResult>& cells, const Claim& claim);
std::vector<Judgement> judgeAll(const Grid& grid, const std::vector<CellResult>& cells);
/// "9 of 14 claims hold, 3 undecided"
std::string countOfVerdicts(const std::vector<Judgement>& judgements);

}  // namespace stagecraft::experiments
