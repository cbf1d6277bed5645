#pragma once

#include "core/model/plan.h"

#include <map>
#include <optional>
#include <vector>

namespace stagecraft::schedules {

/// What devices run, in order, by device; those that work together have the same order.
using OrdersByDevice = std::map<int, std::vector<Task>>;

/// Where the order of a device, or of several that work together, is not the reference's.
struct DeviceDifference {
    int device = 0;         ///< the lowest of them
    std::size_t place = 0;  ///< the first entry that is another, from 0; as many as there are: it ends there
    std::optional<Task> found;     ///< there; nothing: the order has ended
    std::optional<Task> expected;  ///< in the reference; nothing: that has ended
    int moved = 0;                 ///< passes
};

/// How far orders are from others, in passes that are moved: the fewest that have to be taken out and put in
/// elsewhere, device by device, to make one order of the other. It is the number of passes of both less that
/// of a longest common subsequence; a pass that one of both lacks counts once. Times do not matter.
struct OrderDifference {
    int moved = 0;
    /// Whether both have the same blocks: what is whole in one is not split in the other, and the same passes
    /// overlap in pairs.
    bool sameBlocks = true;
    std::vector<DeviceDifference> devices;  ///< those that differ, ascending

    bool isNone() const { return moved == 0 && devices.empty(); }
};

/// Recomputation is left out: it is a matter of memory. A whole backward is its input gradient and, right
/// after it, its weight gradient where the other orders have two.
OrderDifference differenceOf(const OrdersByDevice& orders, const OrdersByDevice& reference);
/// The passes of all devices without recomputation, those of devices that work together counted once.
int passesOf(const OrdersByDevice& orders);

}  // namespace stagecraft::schedules
