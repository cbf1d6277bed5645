#pragma once

#include "core/cost/cost_model.h"

#include <vector>

namespace stagecraft::planners {

/// Whether the order of a device's passes is the same however long they take.
bool hasFixedOrders(const Plan& plan);

/// What the orders of a plan's schedule say of activations, however long passes take.
struct HeldInOrder {
    std::vector<double> bytes;  ///< by device: held at once at least; buffers come on top
    std::vector<int> inFlight;  ///< by stage: microbatches at most
};

}  // namespace stagecraft::planners
