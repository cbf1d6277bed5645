#pragma once

#include "core/base/work_context.h"
#include "core/model/plan.h"

#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft::schedules {

using ScheduleParameters = std::map<std::string, double>;

/// How the stages of a plan are placed on ranks. A rank is a set of devices that share all that they run; p
/// ranks are counted from 0.
enum class Placement {
    onePerRank,  ///< stage s on rank s
    ring,        ///< stage s on rank s mod p: v chunks a rank
    vee,         ///< 2p stages, s and 2p-1-s on one rank
    opposite,    ///< two copies of p stages, the second from the last rank to the first
};
std::string placementName(Placement placement);
/// The rank of a stage of all copies together.
int expectedRank(int stage, int ranks, Placement placement);

/// How long the passes of a stage take for one microbatch, in seconds; those of a family that searches are
/// all that it looks at.
struct PassTimes {
    double forwardS = 1, inputGradientS = 1, weightGradientS = 1;
    double toNextS = 0;    ///< until the next stage has its output
    double fromNextS = 0;  ///< until it has the gradient from the next stage
};

/// What an order for devices depends on: which stages are where, and how many microbatches there are.
struct ScheduleShape {
    int ranks = 0;
    int microbatches = 0;               ///< of all copies
    std::vector<int> rankOf;            ///< by stage of the plan
    std::vector<int> pipelineOf;        ///< by stage: the copy of the network that it belongs to
    std::vector<PassTimes> times = {};  ///< by stage; empty: all passes are equal
    PassTimes timesOf(int stage) const {
        return times.empty() ? PassTimes{} : times[static_cast<std::size_t>(stage)];
    }
    std::stop_token stop = {};  ///< of searches
    /// @throws Cancelled once it was asked to stop
    void throwIfStopped() const {
        if (stop.stop_requested()) throw base::Cancelled();
    }
    int stages() const { return static_cast<int>(rankOf.size()); }
    int chunks() const {
        return ranks > 0 ? stages() / ranks : 0;
    }  ///< stages a rank, where all have as many
};

/// Ranks are numbered as their first stage comes.
/// @throws std::invalid_argument if two stages share some of their devices, or replicas take turns
ScheduleShape shapeOf(const std::vector<Stage>& stages, int microbatches);

/// Why the stages are not placed so, in words; empty if they are.
std::string whyNotPlaced(const ScheduleShape& shape, Placement placement);

}  // namespace stagecraft::schedules
