#pragma once

#include "core/cost/collective_hops.h"
#include "core/cost/cost_model.h"
#include "core/model/pass_kinds.h"

#include <cstdint>
#include <vector>

namespace stagecraft::cost {

/// Seconds of a pass in which the group sends: of forward, backward, inputGradient and recompute; else 0.
double insideSentS(const CostModel& costs, const Plan& plan, int stage, BlockKind kind);

/// What goes on in a stretch of a pass.
enum class InsideKind : std::uint8_t { computing, tensor, context, expert };
/// Of a layer, as shares of the pass: from where to where, 0 to 1.
struct InsideStep {
    int layer = 0;
    InsideKind kind = InsideKind::computing;
    double from = 0, to = 0;
    // Where something is sent:
    CollectiveAlgorithm by = CollectiveAlgorithm::ring;
    double bytes = 0;  ///< by the rank that sends most, in that stretch; what computing hides is not among it
    bool severalRings = false;  ///< CollectiveRanks::severalRings
};
/// A pass of a stage whose group divides its layers, in order: layer by layer its computing, and then what
/// the group sends for it, one kind of collectives after the other (when within a layer each is sent profiles
/// do not say). Of forward, backward, inputGradient and recompute; empty for other kinds, and without a
/// group.
std::vector<InsideStep> insideSteps(const CostModel& costs, const Plan& plan, int stage, BlockKind kind);

/// Who sends what to whom in such a step, of all copies of the stage. Of experts' uneven load only how much
/// the busiest rank has is known, so that each is taken to send the mean.
std::vector<RankHop> hopsOfStep(const CostModel& costs, const Stage& stage, const InsideStep& step);

}  // namespace stagecraft::cost
