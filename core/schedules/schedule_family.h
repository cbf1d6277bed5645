#pragma once

#include "core/base/parameters.h"
#include "core/schedules/schedule_shape.h"
#include "core/schedules/stage_order.h"

#include <string>
#include <vector>

namespace stagecraft::schedules {

/// Where a replica is in a pipeline of stages that are replicated round robin.
struct ReplicaPlace {
    int replicas = 1;      ///< of its stage
    int workersAhead = 1;  ///< replicas of its own and all later stages
    int laterStages = 0;   ///< in its pipeline
};

/// Whether a family's backward is one task, or two: the input gradient, and later the weight gradient.
/// `mixed`: some are one and some are two.
enum class BackwardTasks { either, whole, split, mixed };

/// An order for each rank over all of its stages; microbatches as the plan counts them.
using DeviceOrders = std::vector<std::vector<Task>>;

/// Of zb-v: whether it may leave its fixed order.
inline constexpr const char* deviateParameter = "deviate";
/// Of zb-search: the microbatches that a device may hold.
inline constexpr const char* limitParameter = "limit";
/// Of zb-h2: its warm-up as a multiple of 1F1B's. A file that does not say it is of a time when zb-h2 was a
/// search.
inline constexpr const char* warmUpParameter = "warm_up";

/// Orders that a search has found.
struct FoundOrders {
    DeviceOrders orders;
    double leastS = 0;  ///< how long they take where no transfer waits for another; else it is longer
};

/// A schedule family, complete: what plans call it, what people read, and its orders. Each is a source of its
/// own, named in the list of families.cpp. It has either an order for a stage, or one for all devices, or
/// none. The validator checks the families that it has words for, others by what holds for all.
struct ScheduleFamily {
    std::string id;                          ///< in plans: "1f1b"
    std::string title;                       ///< one line for people
    std::string paper;                       ///< authors, venue, section; empty: none
    std::vector<Parameter> parameters = {};  ///< numbers alone
    Placement placement = Placement::onePerRank;
    BackwardTasks backward = BackwardTasks::either;
    /// The order in which stage `stage` (from 0) of `stages` runs `microbatches` microbatches. Null, and no
    /// deviceOrders: no fixed order; a device takes whatever is ready, backward first, then the lower
    /// microbatch.
    std::vector<StageOp> (*order)(int stage, int stages, int microbatches,
                                  const ScheduleParameters& parameters) = nullptr;
    /// The order of the half-duplex channel between stages `stage` and `stage`+1. Null: first come, first
    /// served.
    std::vector<ChannelOp> (*channelOrder)(int stage, int stages, int microbatches) = nullptr;
    /// The order of a replica that takes microbatches in turn with others, counted among its own. Null: a
    /// replica follows its stage's order and leaves out what is not its own.
    std::vector<StageOp> (*replicaOrder)(const ReplicaPlace& place, int microbatches,
                                         const ScheduleParameters& parameters) = nullptr;
    /// The orders of all ranks, of a shape that it does not refuse.
    DeviceOrders (*deviceOrders)(const ScheduleShape& shape, const ScheduleParameters& parameters) = nullptr;
    /// Of a family that searches: deviceOrders(), and others that may take less time where transfers wait for
    /// each other on their channels, which the shape does not say. Among them are the fixed orders that keep
    /// within the same memory. Null: there are none but deviceOrders().
    std::vector<FoundOrders> (*found)(const ScheduleShape& shape,
                                      const ScheduleParameters& parameters) = nullptr;
    /// Why it cannot take a shape whose stages are placed as it wants, in words; empty if it can. Null: it
    /// takes all.
    std::string (*refusal)(const ScheduleShape& shape, const ScheduleParameters& parameters) = nullptr;
    /// What is to be said of its orders for a shape that it takes, as a sentence; empty: nothing. Null: never
    /// anything.
    std::string (*remark)(const ScheduleShape& shape, const ScheduleParameters& parameters) = nullptr;
    /// Without a barrier the order runs on over mini-batches as over one long one; else it starts anew in
    /// each.
    bool streams = false;
    /// Its orders evict activations to other devices.
    bool evicts = false;
};

}  // namespace stagecraft::schedules
