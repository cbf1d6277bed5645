#pragma once

#include "core/cost/cost_model.h"
#include "core/cost/inside_steps.h"
#include "core/model/timeline.h"

#include <string>
#include <vector>

namespace stagecraft::analysis {

/// What a pass of a stage consists of whose ranks divide its layers: computing, then what is sent within the
/// group, one kind of collectives after the other.
struct InsidePart {
    /// "computing", "AllReduces among 8 tensor-parallel GPUs", …; of layers that were measured on the ranks
    /// what they send is in their computing, which says so.
    std::string what;
    double seconds = 0;       ///< of sending, while nothing is computed
    double hiddenS = 0;       ///< of sending, while something is
    double bytes = 0;         ///< that each GPU sends
    double bandwidthBps = 0;  ///< of the slowest link on the way; 0: nothing is sent
    std::string how = {};     ///< it is sent: "in a ring", …; empty: nothing is
};

/// Of the forward or the whole backward of one microbatch, or of one slice of it; the parts last as long as
/// the block. Without a group that divides the layers all is computing.
std::vector<InsidePart> insideOf(const CostModel& costs, const Plan& plan, int stage, bool backward);

/// Steps of a pass (insideSteps) as they were in that block: where it shared links what it sent took longer.
std::vector<InsideStep> stepsOf(const std::vector<InsideStep>& steps, const Timeline& timeline,
                                std::uint32_t block);

}  // namespace stagecraft::analysis
