#pragma once

#include "core/editing/network_change.h"
#include "core/planners/vpipe/rounds.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::planners::vpipe {

/// Throughput from an instant on, in samples per second (vPipe Figs. 13 and 14); 0: the system does not fit
/// the memory.
struct ThroughputPoint {
    double atS = 0;
    std::string what;                ///< what happened then
    double staticSystem = 0;         ///< the upper system on its first partition
    int staticMicrobatchSize = 0;    ///< the largest that it can hold
    double swapRecompute = 0;        ///< V-SR: Algorithm 2 on the first partition
    double full = 0;                 ///< vPipe
    double ideal = 0;                ///< no memory limit, always balanced
    std::vector<int> layersOfStage;  ///< under vPipe
    double migrationS = 0;           ///< how long layers moved to get here, while training went on
    double stallS = 0;               ///< what that cost
    double stopAndCopyStallS = 0;    ///< what it would have cost to stop for it (Sec. 6.4)
    double migrationPeakBps = 0;     ///< the most that moves within a second (Fig. 15a)
    /// Least share of a tenth of a second that the devices train, on average, live and if it stopped (Fig.
    /// 15b).
    double leastUtilisation = 1, stopAndCopyLeastUtilisation = 1;
};

/// What a network that changes while it trains does to the throughput. The upper system takes the largest
/// microbatch that fits, halving the profile's, as the paper does (Sec. 6, batch size). After an event vPipe
/// keeps its partition, swapping and recomputing as that needs, and repartitions by live migration;
/// while that lasts, what it had is what it gives.
/// @throws std::invalid_argument for an event that cannot happen
std::vector<ThroughputPoint> changingNetwork(const Problem& problem, const NetworkScript& script,
                                             const Settings& settings, const WorkContext& context = {});

}  // namespace stagecraft::planners::vpipe
