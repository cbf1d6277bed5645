#pragma once

#include "core/generation/gpu_catalogue.h"
#include "core/model/cluster.h"

#include <string>
#include <vector>

namespace stagecraft::generation {

/// Server number `server` as templates name it: "s3".
std::string serverName(int server);
/// GPU number `index` of that server, "s3g1", at the speed of the profile's reference GPU.
Device deviceOf(const Gpu& gpu, int server, int index);

/// How the GPUs of a server are joined besides PCIe.
enum class NvlinkShape {
    none,
    ring,      ///< each GPU to the next; half of its NVLinks to either side
    cubeMesh,  ///< the hybrid cube mesh of DGX-1, 8 GPUs
    nvswitch,  ///< all NVLinks of each GPU to one NVSwitch
    infinityFabric,  ///< AMD: each GPU to each other, its xGMI links shared out evenly
};

/// One server: a PCIe tree of GPUs, switches and sockets, and NVLinks above it.
struct ServerSpec {
    Gpu gpu;
    int gpus = 1;
    double speed = 1;
    NvlinkShape nvlink = NvlinkShape::none;
    int gpusPerSwitch = 8;    ///< below each PCIe switch
    int sockets = 1;          ///< that the switches hang on in turn; a single switch hangs on none
    double pcieBps = 0;       ///< of each GPU's and each switch's link; 0: the GPU's own figure
    double socketBps = 10e9;  ///< between sockets; what NCCL counts between two Xeons
    double nvlinkBps = 0;     ///< one way, all NVLinks of a GPU together; 0: what transfers reach of the GPU's
};

/// Adds devices s3g0, s3g1, …, switches s3pcie0, …, s3socket0, …, s3nvswitch for server number 3.
/// @return the id of the switch that a network card hangs on: the first socket, or the only PCIe switch
/// @throws std::invalid_argument if a count is below 1, a bandwidth is neither given nor known, or GPUs of the
/// catalogue are not joined in that way
std::string addServer(Cluster& cluster, const ServerSpec& spec, int server);

/// What joins servers: one switch, or a fat tree of two levels.
struct NetworkSpec {
    int servers = 1;
    double serverBps = 12.5e9;  ///< of each server's link
    double latencyS = 0;        ///< of each link
    std::string kind = "ethernet";
    int serversPerLeaf = 0;       ///< 0: one switch for all servers
    int spines = 1;               ///< each leaf has a link to each
    double oversubscription = 1;  ///< bandwidth of a leaf's servers over that of its links to the spines
};

/// Equal servers and the network between them; a single server needs none. Switches network, or leaf0, …,
/// spine0, …
/// @throws std::invalid_argument as addServer does
Cluster serversOnNetwork(const ServerSpec& server, const NetworkSpec& network);

}  // namespace stagecraft::generation
