#pragma once

#include "core/cost/cost_model.h"

#include <optional>
#include <vector>

namespace stagecraft::planners {

/// Whether the order of a device's passes is the same however long they take.
bool hasFixedOrders(const Plan& plan);

/// What the orders of a plan's schedule say of activations, however long passes take.
struct HeldInOrder {
    std::vector<double> bytes;  ///< by device: held at once at least; what is computed again comes on top
    std::vector<int> inFlight;  ///< by stage: microbatches at most
};

/// @param plan on stages of one device each, its schedule a family's
/// @return nothing where orders are searched for, or devices take what comes first
/// @throws std::invalid_argument where the family does not take the plan
std::optional<HeldInOrder> heldInOrder(const CostModel& costs, const Plan& plan);

}  // namespace stagecraft::planners
