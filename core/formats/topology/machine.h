#pragma once

#include "core/formats/topology/gpu_models.h"
#include "core/formats/topology/imported_cluster.h"
#include "core/formats/topology/nccl_rules.h"

#include <string>
#include <vector>

namespace stagecraft::formats {

/// What a path between two GPUs goes over, from the best to the worst, as NCCL orders them.
enum class PathType { local, nvlink, relayed, c2c, pix, pxb, phb, sys };
/// "NVL", "NVB", …
const char* pathTypeName(PathType type);

struct MachineNode {
    enum class Kind { gpu, bridge, cpu, nvSwitch, nic, port };
    Kind kind = Kind::bridge;
    std::string id;          ///< within the server: "g0", "cpu1", "pci3"
    std::string gpu;         ///< type; of a GPU alone
    double memoryBytes = 0;  ///< of a GPU alone
    double hostBps = 0;      ///< of a GPU's own NVLinks to host memory; 0: none
};

struct MachineLink {
    int a = 0;
    int b = 0;
    Rate rate;
    PathType type = PathType::pix;
    std::string kind;  ///< as Link::kind
    double latencyS = 0;
};

/// One server as a topology describes it, before it becomes part of a cluster.
struct Machine {
    std::vector<MachineNode> nodes;
    std::vector<MachineLink> links;
    std::vector<ImportNote> notes;
    std::vector<Assumption> assumed;

    /// @return the node's index
    int add(MachineNode node);
    void join(int a, int b, Rate rate, PathType type, std::string kind, double latencyS = 0);
    void note(ImportNote::Kind kind, std::string text);
    /// The GPUs in the order of their ids: g0, g1, …
    std::vector<int> gpusInOrder() const;
    std::vector<int> all(MachineNode::Kind kind) const;
    int count(MachineNode::Kind kind) const { return static_cast<int>(all(kind).size()); }
    bool hasLinkOfKind(const std::string& kind) const;
};

/// Adds an assumption once, however often it is made.
void assume(std::vector<Assumption>& assumed, Assumption assumption);

}  // namespace stagecraft::formats
