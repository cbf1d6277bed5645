#pragma once

#include "app/rooms.h"
#include "core/cost/interconnect.h"
#include "views/topology/topology_scene.h"

namespace stagecraft::app::panels {

/// Why the bandwidth between two GPUs is what it is.
struct BandwidthReason {
    QString words;  ///< "12 GB/s from GPU 0 to GPU 1: PCIe link of GPU 1 to PCIe switch 0, PCIe of V100 …"
    int link = -1;  ///< the narrowest of its path, an index into Cluster::links; -1: there is no path
};

/// @param interconnect of the scene's cluster
BandwidthReason bandwidthReason(const TopologyScene& scene, const Interconnect& interconnect, int a, int b);

}  // namespace stagecraft::app::panels
