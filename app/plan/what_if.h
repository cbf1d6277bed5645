#pragma once

#include "app/rooms.h"
#include "core/model/problem.h"

#include <QString>

#include <vector>

namespace stagecraft::app::document {
class Workspace;
}

namespace stagecraft::app::plan {

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

/// One change after the other.
Problem changedBy(Problem problem, const std::vector<WhatIf>& changes);

/// What a change of that problem sets, with the numbers before and after: "microbatches 8 → 12", "bandwidth
/// of all 448 links between servers ×1.5 (12.5 GB/s → 18.8 GB/s)".
QString describe(const Problem& problem, const WhatIf& change);

/// Makes the changes the document's, in one step that can be undone.
void apply(Workspace& workspace, const std::vector<WhatIf>& changes);

}  // namespace stagecraft::app::plan
