#pragma once

#include "core/model/recording.h"

#include <string>
#include <vector>

namespace stagecraft::recordings {

/// How a GPU spent the time of a recording, in seconds: they add up to it.
struct StreamShares {
    int device = 0;
    double computeS = 0;        ///< some kernel or copy ran that does not communicate
    double communicationS = 0;  ///< only such that communicate did
    double idleS = 0;           ///< nothing
    double wholeS() const { return computeS + communicationS + idleS; }
};

/// Of all GPUs with streams, by device, from time 0 to the last end of a block. Streams of a GPU are those
/// that are called by a number: threads of a CPU and lines of a log are not counted.
std::vector<StreamShares> streamShares(const Recording& recording);
/// "rank0 computes for 17.5 % of 1.23 s, only communicates for 30.1 % and is idle for 52.4 %."
std::string streamText(const Recording& recording, const StreamShares& shares);

}  // namespace stagecraft::recordings
