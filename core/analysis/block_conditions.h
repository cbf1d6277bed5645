#pragma once

#include "core/model/timeline.h"

#include <array>
#include <limits>
#include <vector>

namespace stagecraft::analysis {

/// What is asked of a block; all of it has to hold.
struct BlockConditions {
    enum class Wanted : std::uint8_t { either, yes, no };
    /// A word without a key: of a kind of block, or of a device, its server or its type.
    struct Word {
        std::array<bool, blockKindCount> kinds{};
        std::vector<bool> lanes;
        bool negated = false;
    };

    bool empty = true;  ///< nothing is asked
    std::array<bool, blockKindCount> kinds{};
    std::vector<bool> lanes;
    std::vector<bool> stages, microbatches, slices, iterations;  ///< [0]: blocks that belong to none
    double longerS = -1;
    double shorterS = std::numeric_limits<double>::infinity();
    double afterS = -std::numeric_limits<double>::infinity();
    double beforeS = std::numeric_limits<double>::infinity();
    Wanted critical = Wanted::either;
    std::vector<Word> words;
};

}  // namespace stagecraft::analysis
