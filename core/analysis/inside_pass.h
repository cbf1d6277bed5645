#pragma once

#include "core/cost/cost_model.h"
#include "core/model/pass_kinds.h"

#include <cstdint>
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

/// Seconds of a pass in which the group sends: of forward, backward, inputGradient and recompute; else 0.
double insideSentS(const CostModel& costs, const Plan& plan, int stage, BlockKind kind);

/// What goes on in a stretch of a pass.
enum class InsideKind : std::uint8_t { computing, tensor, context, expert };
/// Of a layer, as shares of the pass: from where to where, 0 to 1.
struct InsideStep {
    int layer = 0;
    InsideKind kind = InsideKind::computing;
    double from = 0, to = 0;
    CollectiveAlgorithm by = CollectiveAlgorithm::ring;  ///< where something is sent
};
/// A pass of a stage whose group divides its layers, in order: layer by layer its computing, and then what
/// the group sends for it, one kind of collectives after the other (when within a layer each is sent profiles
/// do not say). Of forward, backward, inputGradient and recompute; empty for other kinds, and without a
/// group.
std::vector<InsideStep> insideSteps(const CostModel& costs, const Plan& plan, int stage, BlockKind kind);

}  // namespace stagecraft::analysis
