#pragma once

#include "core/planners/automatic/held_in_order.h"

#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace stagecraft::planners {

/// The passes of each device in the order in which they run.
class PassesInOrder {
public:
    explicit PassesInOrder(int devices) : ofDevices_(static_cast<std::size_t>(devices)) {}

    void add(int device, TaskKind kind, int stage) {
        ofDevices_[static_cast<std::size_t>(device)].emplace_back(stage, kind);
    }
    /// What a plan holds whose passes come in this order.
    HeldInOrder held(const CostModel& costs, const Plan& plan) const;

private:
    std::vector<std::vector<std::pair<int, TaskKind>>> ofDevices_;
};

/// Of a plan whose orders are fixed; nothing and errors as of heldInOrder(). @throws Cancelled once `stop` is
/// requested
std::optional<PassesInOrder> passesInOrder(const CostModel& costs, const Plan& plan,
                                           const std::stop_token& stop = {});

/// @param plan on stages of one device each, its schedule a family's
/// @return nothing where orders are searched for, or devices take what comes first
/// @throws std::invalid_argument where the family does not take the plan
std::optional<HeldInOrder> heldInOrder(const CostModel& costs, const Plan& plan);

}  // namespace stagecraft::planners
