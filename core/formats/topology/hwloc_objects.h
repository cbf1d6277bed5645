#pragma once

#include "core/formats/topology/nccl_rules.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// A GPU or a NIC as a PCI function of an hwloc topology.
struct HwlocDevice {
    std::string name;   ///< of a NIC: "mlx5_0"; of a GPU: the first of its OS devices
    std::string model;  ///< what the driver calls it
    unsigned vendor = 0;
    int deviceId = 0;
    double linkBps = 0;  ///< one way; 0: not in the file
    int place = -1;      ///< what it hangs on
    int order = 0;       ///< the number that its driver gave it
};

/// A package or a bridge.
struct HwlocPlace {
    int parent = -1;   ///< -1: the machine
    int package = -1;  ///< index of a package; -1: a bridge
    bool isHostBridge = false;
    double linkBps = 0;         ///< of a bridge upwards; 0: not in the file
    double widestBelowBps = 0;  ///< of the GPUs and NICs under it
    int children = 0;           ///< GPUs, NICs and bridges with such directly under it
};

/// A row of a matrix of distances.
struct HwlocObject {
    enum class Kind { gpu, package, nvSwitch, other };
    Kind kind = Kind::other;
    int index = 0;  ///< into HwlocTopology::gpus or packages
};
struct HwlocMatrix {
    std::vector<HwlocObject> objects;
    std::vector<double> values;
    double at(std::size_t a, std::size_t b) const { return values[a * objects.size() + b]; }
    bool hasSwitch() const;
};

struct HwlocTopology {
    std::vector<HwlocDevice> gpus;  ///< by their drivers' numbers
    std::vector<HwlocDevice> nics;
    std::vector<HwlocPlace> places;
    std::vector<int> packages;  ///< indices into places
    CpuType cpu;
    HwlocMatrix nvlink;  ///< MB/s; empty: none
    HwlocMatrix xgmi;    ///< MB/s
    HwlocMatrix xgmiHops;
    int plainNics = 0;  ///< network cards without RDMA
    int otherDevices = 0;
};

/// Finds what matters between GPUs in hwloc's XML of versions 1.x to 3. @throws InputError
HwlocTopology readHwlocObjects(std::string_view text, const std::string& file);

}  // namespace stagecraft::formats
