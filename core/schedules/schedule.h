#pragma once

#include "core/model/plan.h"

#include <string>
#include <vector>

namespace stagecraft {

/// One entry of a stage's own order in a pipeline of which every stage has devices of its own.
struct StageOp {
    TaskKind kind = TaskKind::forward;
    int microbatch = 0;  ///< from 0, counted within the pipeline
    bool operator==(const StageOp&) const = default;
};

/// Where a replica is in a pipeline of stages that are replicated round robin.
struct ReplicaPlace {
    int replicas = 1;      ///< of its stage
    int workersAhead = 1;  ///< replicas of its own and all later stages
    int stagesBehind = 0;  ///< later ones in its pipeline
};

/// A schedule family: the order in which stage `stage` (from 0) of `stages` runs `microbatches` microbatches.
struct ScheduleFamily {
    std::string id;
    std::string title;
    std::string source;  ///< paper and section
    std::vector<StageOp> (*order)(int stage, int stages, int microbatches,
                                  const std::map<std::string, double>& parameters);
    /// On half-duplex channels transfers go strictly in the order of their pass (MODEL.md section 3), not
    /// first come first served.
    bool ordersChannels = false;
    /// Without a barrier the order runs on over mini-batches as over one long one; else it starts anew in
    /// each.
    bool streams = false;
    /// No fixed order: a device takes whatever is ready, backward first, then the lower microbatch.
    bool greedy = false;
    /// The order of a replica that takes microbatches in turn with others, counted among its own. Null: a
    /// replica follows its stage's order and leaves out what is not its own.
    std::vector<StageOp> (*replicaOrder)(const ReplicaPlace& place, int microbatches,
                                         const std::map<std::string, double>& parameters) = nullptr;
};

/// All families, in the order in which they are offered.
const std::vector<ScheduleFamily>& scheduleFamilies();
/// nullptr if there is none of that id.
const ScheduleFamily* findScheduleFamily(const std::string& id);

/// One transfer of a channel's order; `backward`: of the gradient.
struct ChannelOp {
    bool backward = false;
    int microbatch = 0;
};
/// The order of the channel between stages `stage` and `stage`+1 under PE: by pass m + j, ties by the lower
/// block number j (SPP IV-A; E-SPP-6 (b)).
std::vector<ChannelOp> peChannelOrder(int stage, int stages, int microbatches);

// One file per family.
std::vector<StageOp> gpipeOrder(int stage, int stages, int microbatches,
                                const std::map<std::string, double>&);
std::vector<StageOp> oneForwardOneBackwardOrder(int stage, int stages, int microbatches,
                                                const std::map<std::string, double>&);
/// PipeDream's 1F1B-RR: a replica keeps replicaInFlight() microbatches at most.
std::vector<StageOp> roundRobinOrder(const ReplicaPlace& place, int microbatches,
                                     const std::map<std::string, double>& parameters);
/// ceil(N / r) microbatches, N being the replicas of a stage and all later ones and r its own (E-PD-4: NOAM
/// on the first stage). The parameter "extra_in_flight" adds to N for each later stage: between two stages as
/// many more are under way, which hides transfers. 1 makes it DAPPLE's second policy.
int replicaInFlight(const ReplicaPlace& place, const std::map<std::string, double>& parameters);
/// SPP Alg. 1, lines 1 to 8, in closed form (MODEL.md section 5).
std::vector<StageOp> peOrder(int stage, int stages, int microbatches, const std::map<std::string, double>&);
/// The same by running the queues of Alg. 1 with a snapshot per sweep (E-SPP-4): one order per stage. Slow;
/// for tests.
std::vector<std::vector<StageOp>> peOrderByQueues(int stages, int microbatches);

}  // namespace stagecraft
