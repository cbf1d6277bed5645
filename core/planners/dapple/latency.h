#pragma once

#include "core/cost/cost_model.h"

#include <span>
#include <vector>

namespace stagecraft::planners {

/// A stage, or a transfer between two, as DAPPLE's formulas see it: seconds for one microbatch on all of its
/// replicas together, and for the AllReduce at the end.
struct DappleStep {
    double forwardS = 0;
    double backwardS = 0;
    double allReduceS = 0;  ///< 0 for transfers
    double bothS() const { return forwardS + backwardS; }
};

/// Length of an iteration by the paper's formula, and what it is the sum of.
struct DappleLatency {
    int pivot = 0;       ///< place in the chain
    double warmUpS = 0;  ///< Tw
    double steadyS = 0;  ///< Ts
    double endingS = 0;  ///< Te
    double seconds() const { return warmUpS + steadyS + endingS; }
};

/// DAPPLE (Fan et al., PPoPP 2021), section IV: L = Tw + Ts + Te for a chain of stages with the transfers
/// between them as stages of their own. The formula here is built from the paper's definitions and was not
/// checked against the printed page:
///
/// The pivot Q is the stage that idles least. It is the last one at first; from there to the first stage, Q
/// becomes s where (M-1)(F_s + B_s) exceeds (M-1)(F_Q + B_Q) and the round trip through the steps strictly
/// between s and Q, which s could otherwise wait for.
///
/// Tw = sum of F_a for a <= Q: the end of the pivot's first forward. Ts = (M-1)(F_Q + B_Q): from then on it
/// is never idle until its last backward starts, at Tw + Ts. Te: from there to the end of the iteration. The
/// last backward of s <= Q ends after those of Q, Q-1, …, s, and its AllReduce follows: sum of B_a for
/// s <= a <= Q, and A_s. That of s > Q ended earlier than the pivot's started by the backwards strictly
/// between, so that A_s less the sum of B_a for Q < a < s is left. Te is the largest.
///
/// Exact for equal stages without transfers. L is at least M-1 times the slowest step's forward and backward.
/// @param chain not empty
/// @param microbatches M >= 1
DappleLatency dappleLatency(std::span<const DappleStep> chain, int microbatches);

/// The formula of the program that DAPPLE's authors released (HPGO, sync_pipeline.rs): (M-1) blocks, a block
/// being the slowest stage or both ways of the slowest transfer; forward and backward of the whole network;
/// each transfer one way; and the largest AllReduce_i - i blocks, i = 0, 1, … counting stages, if that is
/// positive.
/// @param chain stages at even places, transfers at odd ones
/// @param networkS forward and backward of a microbatch through all layers: dappleNetworkS()
double releasedDappleLatencyS(std::span<const DappleStep> chain, int microbatches, double networkS);

/// Forward and backward of all layers at the speed of the slowest device, on `pipelines` devices. The
/// program plans for as many equal pipelines side by side and divides the network by their number, but not by
/// the replicas that a stage has beyond that.
double dappleNetworkS(const CostModel& costs, int pipelines);

/// How many equal pipelines side by side a plan can be seen as: the greatest common divisor of its stages'
/// numbers of replicas.
int dapplePipelines(const std::vector<Stage>& stages);

/// The chain of a plan's stages, by MODEL.md section 1: what crosses a cut goes from the stage before it to
/// the one after it, each tensor once.
std::vector<DappleStep> dappleChain(const CostModel& costs, const std::vector<Stage>& stages);

}  // namespace stagecraft::planners
