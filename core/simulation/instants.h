#pragma once

#include "core/model/timeline.h"

namespace stagecraft::simulation {

/// How far two times may be apart, in parts of the later one, that the same durations give when they are
/// added up in another order: every block of the longest lane may have rounded once, and what a block takes
/// is a rounded sum itself.
double relativeRounding(const Timeline& timeline);

/// What is known of how the times of a timeline came about.
struct TimesOrigin {
    double subtractedS = 0;  ///< from all times, which rounded as large as that; seconds
    /// Each start is 0 or, to the bit, the end that the block waited for, and ends ascend on every lane.
    bool inOrder = false;
    double leastLengthS = 0;  ///< no block that takes time is given less; what rounding makes of it aside
};

/// @throws SimulationError if an end is not finite
void requireFiniteEnds(const Timeline& timeline);

/// Gives everything that happens at one instant the same time, that of the last of it, so that frees and
/// takes, ends and starts meet exactly wherever the timeline is read: starts and ends that differ by rounding
/// alone are one instant. No block loses its length by it: where one starts and ends within such an instant,
/// the instant's times stay as they are. The first start and the last end never change.
/// @throws SimulationError if a time is not finite
void joinInstants(Timeline& timeline, const TimesOrigin& origin = {});

}  // namespace stagecraft::simulation
