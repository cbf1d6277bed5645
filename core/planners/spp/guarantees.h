#pragma once

#include "core/cost/cost_model.h"
#include "core/model/plan_origin.h"

#include <vector>

namespace stagecraft::planners {

/// What SPP's bounds are made of, for one chain of stages.
struct PlanLoad {
    double microbatchS = 0;  ///< C of Lemma 1: the most that one stage or channel works for a microbatch
    double allReduceS = 0;   ///< max A
    double maximumS = 0;     ///< W(|S|): the most that one stage (with its AllReduce) or channel works in all
};
PlanLoad planLoad(const CostModel& costs, const std::vector<Stage>& stages);

/// Lemma 2's Phi, as printed; 0 for one device. Bandwidths are those of all pairs of devices.
double bandwidthSpread(const CostModel& costs);
/// Theorem 1: (2 + (4V - 4)/M)(1 + Phi).
double approximationFactor(int devices, int microbatches, double phi);

/// Lemma 1 (E-SPP-5, E-SPP-6): the simulated time of PE is at most (M + 4|S| - 4) C + max A.
Guarantee lemma1(const CostModel& costs, const std::vector<Stage>& stages);

/// What Lemma 2 and Theorem 1 say of a whole run of SPP.
struct SppOutcome {
    double leastMaximumS = 0;     ///< W_PRM: the least W over the stage numbers tried
    double iterationTimeS = 0;    ///< T_SPP
    bool allStageNumbers = true;  ///< tried up to the number of devices (or layers)
    bool recursiveOrder = true;   ///< devices ordered by RDO
};
Guarantee lemma2(const CostModel& costs, const SppOutcome& outcome);
Guarantee theorem1(const CostModel& costs, const SppOutcome& outcome);

}  // namespace stagecraft::planners
