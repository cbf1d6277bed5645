#pragma once

#include "core/cost/cost_model.h"
#include "core/planners/pipedream/partitioner.h"

#include <string>
#include <vector>

namespace stagecraft::planners {

/// The machines as PipeDream sees them, and which device each of its workers is.
struct PipeDreamMachines {
    std::vector<PipeDreamLevel> levels;  ///< innermost first
    std::vector<std::string> names;      ///< of each level's components: "devices", "servers", "groups of 8"
    std::vector<int> devices;            ///< by worker; workers count through the innermost components first
    std::vector<std::string> notes;
    std::string whyNot;  ///< not empty: PipeDream has no such machines
};

/// One level: all devices, joined at the least bandwidth between any two.
PipeDreamMachines flatMachines(const CostModel& costs);
/// Two levels: the devices of a server, and the servers.
PipeDreamMachines serverMachines(const CostModel& costs);
/// As many levels as the cluster's bandwidths show. Devices that are joined at least at some bandwidth, be it
/// over others, form groups; the lower that bandwidth, the larger the groups, each of which consists of whole
/// smaller ones. Where all groups of one bandwidth have the same size they are the components of the next
/// level; others PipeDream cannot use, and a note says so. A level's bandwidth is the least between two
/// devices of one of its groups, so that nothing is slower than planned for.
PipeDreamMachines automaticMachines(const CostModel& costs);

}  // namespace stagecraft::planners
