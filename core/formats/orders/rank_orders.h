#pragma once

#include "core/model/plan.h"

#include <string>
#include <vector>

namespace stagecraft::formats {

/// What each rank of one pipeline runs, in order: what engines exchange of a plan. A stage is on one rank.
struct RankOrders {
    std::vector<std::vector<Task>> ranks;  ///< forwards, backwards and weight gradients

    int stages() const;
    int microbatches() const;
    /// By stage; -1 for one that is nowhere.
    std::vector<int> rankOf() const;
    bool operator==(const RankOrders&) const = default;
};

/// The orders of a plan that spells out what each device runs. Ranks are counted in the order of the first
/// stage on them.
/// @throws std::invalid_argument saying why an engine that runs one pipeline, a stage on a rank, cannot have
/// them
RankOrders rankOrders(const Plan& plan);

}  // namespace stagecraft::formats
