#pragma once

#include "core/experiments/claims.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::experiments {

/// A number that the source prints, and what is found here.
struct Level {
    std::string place;  ///< in the source
    std::string what;   ///< "SPP at model vgg-19, iteration_time_s", or a claim's text
    PrintedRange printed;
    std::optional<double> found;  ///< nothing: not run, or no plan

    /// Found over printed; of a range over what is nearest to it. Nothing unless both are above 0:
    /// differences have no ratio.
    std::optional<double> ratio() const;
};

/// Every printed number once: those of the tables, then the ratios and changes that claims form of them, and
/// the numbers that claims state. Where memory ran out in the source there is none.
std::vector<Level> levelsOf(const Grid& grid, const std::vector<CellResult>& cells,
                            const std::vector<Judgement>& judgements);

/// How far what is found is from what is printed.
struct LevelCount {
    std::size_t printed = 0;
    std::size_t compared = 0;  ///< with a ratio
    double median = 0;         ///< of the ratios
    /// Found at most so many times as much as printed, and at least as little as one over it.
    std::size_t within10 = 0, within25 = 0, withinTwice = 0;
};
LevelCount countLevels(const std::vector<Level>& levels);
/// "median 0.83 × of 61 printed numbers (54 compared), 9 within 10 %, 20 within 25 %, 49 within a factor of
/// 2"
std::string levelsText(const LevelCount& count);

}  // namespace stagecraft::experiments
