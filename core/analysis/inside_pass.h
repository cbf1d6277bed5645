#pragma once

#include "core/cost/cost_model.h"

#include <string>
#include <vector>

namespace stagecraft::analysis {

/// What a pass of a stage consists of whose ranks divide its layers: computing, then what is sent within the
/// group, one kind of collectives after the other.
struct InsidePart {
    std::string what;  ///< "computing", "AllReduces among 8 tensor-parallel GPUs", …
    double seconds = 0;
    double bytes = 0;         ///< that each GPU sends
    double bandwidthBps = 0;  ///< of the slowest link on the way; 0: nothing is sent
};

/// Of the forward or the whole backward of one microbatch, or of one slice of it; the parts last as long as
/// the block. Without a group that divides the layers all is computing.
std::vector<InsidePart> insideOf(const CostModel& costs, const Plan& plan, int stage, bool backward);

}  // namespace stagecraft::analysis
