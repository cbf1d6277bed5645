#pragma once

#include "core/base/rooms.h"
#include "core/base/shared_list.h"

#include <map>
#include <string>
#include <vector>

namespace stagecraft::model {

/// One accelerator.
struct Device {
    std::string id;
    std::string server;
    std::string gpu;  ///< type, as people name it: "V100-SXM2-16GB"
    double memoryBytes = 0;
    /// Divides compute times; 1 is the profile's reference GPU. Nothing where the profile has times that were
    /// measured on this type (measured_gpus.h).
    double speed = 1;
    double hostBandwidthBps = 0;  ///< bytes per second to host memory; 0: swapping is impossible
    double pricePerHour = 0;      ///< dollars; 0: TrainingSetup::gpuPricePerHour
    bool operator==(const Device&) const = default;
};

/// A PCIe or NVSwitch or network switch; `server` is empty for one that belongs to none.
struct Switch {
    std::string id;
    std::string server;
    /// Whether it sums up what passes through it (NVLink SHARP), for devices that hang on it.
    bool sums = false;
    bool operator==(const Switch&) const = default;
};

/// An undirected, full-duplex link between two devices or switches.
struct Link {
    std::string a;
    std::string b;
    double bandwidthBps = 0;  ///< bytes per second in each direction
    double latencyS = 0;
    std::string kind;       ///< "pcie", "nvlink", "ethernet", …; free text
    std::string source;     ///< where the bandwidth comes from; empty: a person wrote it
    double derivedBps = 0;  ///< what a measurement replaced, kept beside it; 0: the link was not measured
    std::string derivedSource{};  ///< where that came from
    bool isMeasured() const { return derivedBps > 0; }
    bool operator==(const Link&) const = default;
};

/// Of a cluster, whose copies share what an edit left as it was.
using DeviceList = SharedList<Device>;
using SwitchList = SharedList<Switch>;
using LinkList = SharedList<Link>;

struct Point {
    double x = 0;
    double y = 0;
    bool operator==(const Point&) const = default;
};

/// Devices, switches and links as drawn. What a planner sees of it is cost/interconnect.h.
struct Cluster {
    std::string name;
    DeviceList devices;
    SwitchList switches;
    LinkList links;
    std::map<std::string, Point> layout;   ///< where the editor draws a device or switch, by id
    std::string source;                    ///< what it was made from; empty: drawn
    std::vector<std::string> assumptions;  ///< what its source did not say and was assumed, a sentence each

    int deviceCount() const { return static_cast<int>(devices.size()); }
    /// Index into `devices`, or -1.
    int deviceIndex(const std::string& id) const;
    /// Server names in the order in which devices first name them.
    std::vector<std::string> servers() const;
    /// The devices of each of them, ascending.
    std::vector<std::vector<int>> devicesByServer() const;
    bool operator==(const Cluster&) const = default;
};

}  // namespace stagecraft::model
