#pragma once

#include "core/base/rooms.h"

#include <string>

namespace stagecraft::analysis {

/// What distinguishes two plans for the same problem.
struct PlanOutcome {
    std::string name;
    double iterationTimeS = 0;
    double bubbleFraction = 0;  ///< from 0 to 1
    double peakBytes = 0;       ///< of the device with the most
    bool fits = true;           ///< into the memory of every device
};

/// "SPP is 210 ms (18 %) faster than GPipe: bubbles 27.1 % instead of 39.0 %, peak memory 9.40 GiB instead of
/// 12.1 GiB." and, if so, "It does not fit into memory." What is equal as written is left out; plans that
/// take equally long are said to. The percentage is of the time of `other`.
std::string differenceInWords(const PlanOutcome& plan, const PlanOutcome& other);

}  // namespace stagecraft::analysis
