#pragma once

#include "core/cost/collectives.h"

namespace stagecraft::cost {

/// Devices of a cost model each of which stands for all devices of a rank of a pipeline: these do the same at
/// the same time, so that one of them is simulated. Each holds the parameters of its stage with `dense.count`
/// others like it, and what experts have with `experts.count`.
struct RankCopies {
    CollectiveRanks dense, experts;  ///< the holders, and the slowest links among them
    bool sameHolders = true;         ///< of both: what they send goes together
};

}  // namespace stagecraft::cost
