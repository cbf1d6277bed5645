#pragma once

#include "core/cost/collectives.h"

namespace stagecraft::cost {

/// What a cost model knows of a rank's devices where one of them is simulated in the place of all, which do
/// the same at the same time: the parameters of a stage are on `dense.count` of them, those of experts on
/// `experts.count`.
struct RankCopies {
    CollectiveRanks dense, experts;  ///< the holders, and the slowest links among them
    bool sameHolders = true;         ///< of both: what they send goes together
};

}  // namespace stagecraft::cost
