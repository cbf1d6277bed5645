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

/// Where the bandwidth of so many of a GPU's NVLinks (xGMI links) comes from; empty where it has none.
std::string nvlinkSource(const Gpu& gpu, double links, LinkRates rates = LinkRates::reached);
/// The same of its PCIe link.
std::string pcieSource(const Gpu& gpu, LinkRates rates = LinkRates::reached);

/// How the GPUs of a server are joined besides PCIe.
enum class NvlinkShape {
    none,
    ring,            ///< each GPU to the next; half of its NVLinks to either side
    cubeMesh,        ///< the hybrid cube mesh of DGX-1, 8 GPUs
    nvswitch,        ///< all NVLinks of each GPU to one NVSwitch
    infinityFabric,  ///< AMD: each GPU to each other, its xGMI links shared out evenly
};

/// The network cards below each PCIe switch of a server, beside its GPUs.
struct NicSpec {
    int perSwitch = 0;        ///< 0: the network hangs on the first socket
    std::string model;        ///< "ConnectX-7"
    double bandwidthBps = 0;  ///< of each card's port, as its data sheet has it
    std::string kind = "infiniband";
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
    double nvlinkBps = 0;     ///< one way, all NVLinks of a GPU together; 0: the GPU's own
    LinkRates rates = LinkRates::reached;  ///< of the GPU's own figures
    NicSpec nics;
    bool switchSums = false;  ///< the NVSwitch (Switch::sums)
};

/// Adds devices s3g0, s3g1, …, switches s3pcie0, …, s3socket0, …, s3nic0, …, s3nvswitch for server number 3.
/// @return the ids that links of the network end at: the network cards, or without them the first socket or
/// the only PCIe switch
/// @throws std::invalid_argument if a count is below 1, a bandwidth is neither given nor known, or GPUs of
/// the catalogue are not joined in that way
std::vector<std::string> addServer(Cluster& cluster, const ServerSpec& spec, int server);

/// What joins servers.
enum class Fabric {
    oneSwitch,  ///< each network card to one switch
    fatTree,    ///< servers below leaf switches, and these below spines
    rails,      ///< card i of each server to switch i (rail-optimised), and these below spines
    torus,      ///< each server to the next along each of its dimensions, without a switch
    dragonfly,  ///< servers on routers, which are joined all to all in a group, and groups all to all
};

struct NetworkSpec {
    Fabric fabric = Fabric::oneSwitch;
    int servers = 1;
    double serverBps = 12.5e9;  ///< of each server's link; where it has network cards, of each card's
    double latencyS = 0;        ///< of each link
    std::string kind = "ethernet";
    int serversPerLeaf = 1;       ///< of a fat tree
    int spines = 1;               ///< of fat tree and rails: each leaf has a link to each
    double oversubscription = 1;  ///< bandwidth of a leaf's servers over that of its links to the spines
    std::vector<int> sides = {};  ///< of a torus: servers along each dimension
    int groups = 1, routersPerGroup = 1, serversPerRouter = 1;  ///< of a dragonfly
};

/// Equal servers and the network between them; a single server needs none. Switches network; leaf0, …,
/// spine0, …; rail0, …; or group0router0, …
/// @throws std::invalid_argument as addServer does
Cluster serversOnNetwork(const ServerSpec& server, const NetworkSpec& network);

}  // namespace stagecraft::generation
