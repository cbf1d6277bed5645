#pragma once

#include "core/cost/stage_edges.h"
#include "core/schedules/stage_order.h"

#include <memory>
#include <vector>

namespace stagecraft::schedules {

class FoundSchedules;

enum class OrderRule {
    pattern,    ///< no order: the plan says when each operation starts
    greedy,     ///< no order: a device takes whatever is ready, backward first, then the lower microbatch
    ofDevices,  ///< each device has an order over all of its stages
    ofStages,   ///< each device has one stage, and follows its order
};

/// A plan worked out into what an engine runs: which stages send to which, and who does what in which order.
/// The plan's own orders, or those that its schedule family spells out; nothing of families is needed any
/// more.
struct LoweredPlan {
    SharedStageEdges edges;
    OrderRule rule = OrderRule::pattern;
    /// `ofDevices`: those of an iteration.
    ExplicitSchedule devices;
    /// Whether `devices` say which backwards are whole; else all are as the plan has them.
    bool namesPasses = false;
    /// `ofStages`: by stage, those of a round.
    std::vector<StageOrder> stages;
    /// Whether a round is the whole run: without a barrier the orders of some families run on over
    /// mini-batches. Else it is an iteration.
    bool streams = false;
    std::vector<ChannelOrder> channels;  ///< by `from`; other channels serve who comes first
    /// Whether some stage begins more microbatches than a mini-batch has before it finishes the first.
    bool exceedsMiniBatch = false;
    /// Of orders that a search has found: how long they take, in seconds, where no transfer waits for
    /// another; else it is longer.
    double leastS = 0;

    /// How many microbatches each stage evicts in an iteration, by stage.
    std::vector<int> evictions(const Plan& plan) const;
};

/// @param plan one that fits the problem (simulation::requireWellFormed)
/// @param iterations of the run, of which orders that stream are as long as
/// @throws std::invalid_argument saying why the plan's schedule does not apply; Cancelled once `stop` is
/// requested
LoweredPlan lower(const CostModel& costs, const Plan& plan, int iterations = 1,
                  const std::stop_token& stop = {});

/// Of a plan whose family leaves it to a run which of the orders that it has found is the shortest: all of
/// them, the first of them what lower() gives. They are the same for any number of iterations. Each is worked
/// out when it is taken: many take no less than one that was run before.
class PlansAsFound {
public:
    /// None for other plans, and where the family does not apply, which lower() says.
    /// @throws Cancelled once `stop` is requested
    PlansAsFound(const CostModel& costs, const Plan& plan, const std::stop_token& stop = {});
    PlansAsFound(PlansAsFound&&) noexcept;
    ~PlansAsFound();

    std::size_t count() const;
    /// LoweredPlan::leastS of one.
    double leastS(std::size_t choice) const;
    /// Once each, in turn.
    LoweredPlan take(std::size_t choice);

private:
    LoweredPlan common_;
    std::unique_ptr<FoundSchedules> found_;
};

/// Microbatches that a stage has under way at most in a run without a barrier, over all of its replicas; the
/// most of all stages. At least 1.
int heldAtOnce(const Plan& plan);

}  // namespace stagecraft::schedules
