#pragma once

#include "core/base/rooms.h"

#include <algorithm>

namespace stagecraft::planners {

/// What sums of durations may be off by, in periods, before they count as another batch.
inline constexpr double delayRounding = 1e-9;

/// ceil(number) of one that is not negative; whole numbers but for rounding stay what they are. Without a
/// call, for it is what the programme does most.
inline int wholeUp(double number) {
    const double least = number - delayRounding;
    const int down = static_cast<int>(least);
    return down < least ? down + 1 : down;
}

/// ceil(delay / period).
inline int periodsOf(double delayS, double periodS) { return wholeUp(delayS / periodS); }

/// g(k, l, V) of MadPipe 4.2.1, at least 1: batches that a stage of load U keeps active if at least V lies
/// between its forward and its backward.
inline int groupOf(double delayS, double loadS, double periodS) {
    return std::max(1, periodsOf(delayS + loadS, periodS));
}

/// x (+) y of MadPipe 4.2.2: the delay around a stage or transfer of load y whose inside takes x; it starts a
/// new group if it does not fit into the last one.
/// @param group periodsOf(x, periodS)
inline double joinDelay(double x, int group, double y, double periodS) {
    return group == periodsOf(x + y, periodS) ? x + y : group * periodS + y;
}
inline double joinDelay(double x, double y, double periodS) {
    return joinDelay(x, periodsOf(x, periodS), y, periodS);
}

}  // namespace stagecraft::planners
