#pragma once

#include "core/cost/cost_model.h"
#include "core/model/timeline.h"

#include <optional>

namespace stagecraft::simulation {

/// Whole turns of what a plan without a barrier repeats once it is under way, on its timeline.
struct SteadyState {
    double fromS = 0;  ///< a mini-batch is complete, or a pass starts, `miniBatches` before that at toS
    double toS = 0;
    int miniBatches = 1;
    /// What came before repeats in this stretch, to rounding: it is an exact period.
    bool repeats = false;

    double miniBatchS() const { return (toS - fromS) / miniBatches; }
};

/// When each mini-batch is complete, and all before it, for replicas that take turns may overtake one
/// another: when its last update has been made on every stage, and without updates (patterns) when its last
/// backward or weight gradient has ended. Seconds.
std::vector<double> completionsS(const Timeline& timeline);

/// Measured before the pipeline drains: up to the last mini-batch that is complete when the first device has
/// begun its last forward, until when nothing is known yet of the end. The shortest stretch there that what
/// comes before it repeats, be it of one mini-batch or, with replicas that take turns, of several: every pass
/// on every stage, for completions alone may repeat while the last stages live on what was filled in. Where
/// nothing repeats: the second half of what is left, from start to start of the pass that falls behind the
/// most, which the others will have to wait for. Nothing for a timeline of fewer than three mini-batches.
std::optional<SteadyState> steadyState(const Timeline& timeline);

/// The time per mini-batch that a plan without a barrier has for good.
struct SteadyPace {
    double miniBatchS = 0;  ///< 0: the timeline is too short to tell
    bool settled = false;   ///< exact; else measured over the second half of the timeline
};

/// @param leastS the work of the busiest resource in a mini-batch. A stretch that is shorter lives on what
/// piled up at the start. A resource with so much work that never waits sets the pace if no stage falls
/// behind it, even if nothing repeats, as on half-duplex channels, where what comes at the same instant to
/// rounding goes now first and now last.
SteadyPace steadyPace(const Timeline& timeline, double leastS);

/// How many mini-batches show start-up, some turns of the steady state, and drain: twice what the pipeline
/// holds at once (one microbatch per replica, and what the plan adds), and four turns of its replicas, at
/// least 8 in all, a multiple of the turn, as far as the blocks stay within `mostBlocks`.
int steadyStateMiniBatches(const CostModel& costs, const Plan& plan, std::uint32_t mostBlocks);

}  // namespace stagecraft::simulation
