#pragma once

#include "core/formats/topology/machine.h"

#include <vector>

namespace stagecraft::formats {

struct NcclPath {
    PathType type = PathType::sys;
    double bps = 0;        ///< 0: none
    double widestBps = 0;  ///< of the widest path on which no GPU forwards, whatever its type
};

/// Which path NCCL takes between the GPUs of a server: that of the lowest type, among these the widest
/// (src/graph/paths.cc of NCCL 2.30.7). A path's type is that of its worst link, its bandwidth that of its
/// narrowest. A GPU relays NVLink (xGMI) traffic for another GPU, once, and nothing else.
class NcclPaths {
public:
    explicit NcclPaths(const Machine& machine);

    int gpuCount() const { return static_cast<int>(gpus_.size()); }
    /// Between GPUs by number: 0 is g0.
    const NcclPath& between(int a, int b) const {
        return paths_[static_cast<std::size_t>(a) * gpus_.size() + static_cast<std::size_t>(b)];
    }

private:
    /// Widest path from a node to each over links of at most that type; GPUs do not forward.
    std::vector<double> widestFrom(int source, PathType worst) const;
    void fillDirect();
    void fillRelayed();
    NcclPath& path(std::size_t a, std::size_t b) { return paths_[a * gpus_.size() + b]; }

    const Machine& machine_;
    std::vector<int> gpus_;
    std::vector<std::vector<std::size_t>> linksOf_;
    std::vector<NcclPath> paths_;
};

/// Says for which pairs NCCL takes another bandwidth than the cluster's rule (widest path, no device
/// forwards): those that a GPU relays, and those where PCIe is wider than NVLink.
void notePairsWhereNcclDiffers(Machine& machine);

}  // namespace stagecraft::formats
