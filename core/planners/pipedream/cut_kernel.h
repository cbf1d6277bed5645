#pragma once

#include "core/base/rooms.h"

namespace stagecraft::planners {

/// min over i < count of max(before[i], last[i]); infinity for count 0. Most of the partitioner's time. The
/// same bits on every machine.
double leastOverCuts(const double* before, const double* last, int count);

}  // namespace stagecraft::planners
