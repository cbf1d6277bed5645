#pragma once

#include "core/cost/cost_model.h"

#include <string>
#include <vector>

namespace stagecraft::cost {

/// A stage whose replicas split a microbatch into shares that are no whole numbers of samples. Costs and
/// activations are those of equal shares (MODEL.md section 1), which no real run reaches.
struct SplitSamples {
    int stage = 0;
    int samples = 0;       ///< of a microbatch
    int replicas = 0;      ///< more than one, and no divisor of `samples`
    int largestShare = 0;  ///< whole samples of the replica with most
    int withLargest = 0;   ///< replicas that have as many
    bool isGroups = false;  ///< each replica is several GPUs that divide its layers
    double countedS = 0;   ///< forward and backward of a microbatch as the costs have it
    double wholeS = 0;     ///< the same for `largestShare` samples on the stage's slowest replica
};

/// In the order of the stages; none where microbatches are split evenly or run whole, nor where the setup has
/// whole samples: then these are the costs.
std::vector<SplitSamples> splitSamples(const CostModel& costs, const Plan& plan);

/// What a person should know about a plan whose replicas have unequal shares of the work: the stage
/// where splitting samples hides most time, and stages or pipelines among which a mini-batch's microbatches
/// do not come out even (that is simulated as it is). One sentence or two for each; none if all shares are
/// equal. `costs` has the plan's own setup.
std::vector<std::string> unevenShares(const CostModel& costs, const Plan& plan);

}  // namespace stagecraft::cost
