#pragma once

#include "core/model/plan.h"
#include "core/model/timeline.h"

namespace stagecraft::analysis {

/// The most passes of a stage that a device has begun and not finished at any time: from the start of a
/// forward to the end of the whole backward, weight gradient included. By device; those that hold no stage
/// have none.
std::map<int, int> peakInFlight(const Timeline& timeline);

}  // namespace stagecraft::analysis
