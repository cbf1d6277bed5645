#pragma once

#include "core/formats/topology/topology_format.h"

#include <string>
#include <vector>

namespace stagecraft::formats {

/// Accelerators of one server of which a table says near which cores they are, each on its socket by PCIe.
struct AcceleratorSockets {
    int accelerators = 0;
    std::vector<std::string> affinity;  ///< of each; what is the same is one socket
    AssumedGpu gpu;
};

/// Adds them as g0, g1, … and sockets, joined each to each. @throws InputError for more than 16 sockets
void addAccelerators(Machine& machine, const AcceleratorSockets& sockets, const ImportOptions& options,
                     const std::string& file);

}  // namespace stagecraft::formats
