#pragma once

#include "views/rooms.h"

#include <string>
#include <vector>

namespace stagecraft::views::figures {

/// A plan's iteration time as someone published or measured it, seconds.
struct PublishedTime {
    std::string plan;  ///< title
    double timeS = 0;
    double leastS = 0, mostS = 0;  ///< of its error bar; both timeS: none
    bool hasRange() const { return mostS > leastS; }
};

/// "GPipe=1.05 s|SPP=531 ms ± 12 ms|DAPPLE=600 ms (580 ms–640 ms)": each with its range, if it has one.
/// @throws std::invalid_argument for a piece without "=", without a time, or with a range that does not hold
/// it
std::vector<PublishedTime> publishedTimes(const std::string& text);

}  // namespace stagecraft::views::figures
