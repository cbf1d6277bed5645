#pragma once

#include "core/generation/gpu_catalogue.h"
#include "core/model/cluster.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace stagecraft::generation {

/// Random numbers that are the same with every compiler and library: std::mt19937_64, whose sequence the C++
/// standard fixes, and a mapping of our own, because the standard does not fix how its distributions use it.
class PortableRandom {
public:
    explicit PortableRandom(std::uint64_t seed) : engine_(seed) {}
    /// In [0, 1): the upper 53 bits of the next number.
    double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
    /// One of 0..count-1, each as likely: floor(unit() * count).
    int below(int count) { return static_cast<int>(unit() * count); }

private:
    std::mt19937_64 engine_;
};

/// Equal servers on one network switch; inside each, the GPUs on one PCIe (or NVSwitch) switch.
struct SwitchedClusterSpec {
    std::string name;  ///< empty: made from the rest
    int servers = 1;
    int gpusPerServer = 1;
    Gpu gpu;
    double intraServerBps = 0;  ///< of each GPU's link to its server's switch; 0: the GPU's own PCIe figure
    std::string intraServerKind = "pcie";
    double networkBps = 0;  ///< of each server's link to the network switch; unused with one server
    double networkLatencyS = 0;
    std::string networkKind = "ethernet";
};
/// Devices s0g0, s0g1, …, switches s0switch, …, network.
/// @throws std::invalid_argument if a count is below 1, or a bandwidth is negative or missing
Cluster switchedCluster(const SwitchedClusterSpec& spec);

/// A range of bandwidths in bytes per second, both ends included.
struct BandwidthRange {
    double minBps = 0;
    double maxBps = 0;
};

/// Equal servers of a random cluster.
struct ServerGroup {
    int servers = 1;
    int gpusPerServer = 1;
    BandwidthRange intraServer;
    std::string kind = "pcie";
};

/// The clusters of SPP Sec. V-B: a complete graph over all GPUs, one bandwidth drawn for each server and one
/// for each pair of servers.
struct RandomClusterSpec {
    std::string name;  ///< empty: made from the rest
    std::vector<ServerGroup> groups;
    BandwidthRange interServer;
    std::string interServerKind = "rdma";
    Gpu gpu;
    std::uint64_t seed = 1;
};
/// Draws in steps of 0.1 Gbps: first for each server in order, then for each pair (s, t), s < t, in
/// lexicographic order.
/// @throws std::invalid_argument if there is no group, a count is below 1, or a range is empty or not
/// positive
Cluster randomCluster(const RandomClusterSpec& spec);

inline constexpr double bytesPerSecondOfGbps = 1e9 / 8;

/// Sec. V-B's servers of the two kinds: PCIe [96, 128] Gbps and NVLink [160, 200] Gbps.
ServerGroup sppPcieServers(int servers, int gpusPerServer);
ServerGroup sppNvlinkServers(int servers, int gpusPerServer);
/// Sec. V-B's network by default: [32, 40] Gbps.
BandwidthRange sppInterServer();
/// Its default: 3 PCIe and 5 NVLink servers of 4 V100.
RandomClusterSpec sppDefaultCluster(std::uint64_t seed);
/// [6x2, 3x4, 1x8] of its Fig. 7: the pairs on PCIe, the larger servers on NVLink.
RandomClusterSpec sppMixedCluster(std::uint64_t seed);

/// One server of 8 V100 in the hybrid cube mesh of DGX-1: six NVLinks per GPU, of which transfers reach 20
/// GB/s each, PCIe switches of two GPUs each and two sockets beneath.
Cluster dgx1Cluster();

}  // namespace stagecraft::generation
