#pragma once

#include "core/model/problem.h"

#include <string>
#include <vector>

namespace stagecraft {

class Workspace;

/// One number of a problem as it might be.
struct WhatIf {
    enum class Kind { microbatches, bandwidth, layerTime, memoryLimit };
    Kind kind = Kind::microbatches;
    double value = 1;  ///< the number; a factor for bandwidth and layer time; bytes for the limit
    int target = -1;   ///< index of a link (-1: all between servers) or of a layer
    bool operator==(const WhatIf&) const = default;
};

/// The links that leave a server, as indices.
std::vector<int> linksBetweenServers(const Cluster& cluster);

Problem changedBy(const Problem& problem, const WhatIf& change);

/// Makes the change the document's, as a step that can be undone.
void keep(Workspace& workspace, const WhatIf& change);
/// The numbers that changes like these touch go back to what they were in `before`, in one step.
void putBack(Workspace& workspace, const Problem& before);

}  // namespace stagecraft
