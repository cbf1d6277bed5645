#pragma once

#include "core/model/plan.h"
#include "core/model/timeline.h"

#include <vector>

namespace stagecraft {

/// An old version of a stage's weights that stays because a microbatch still needs it for its backward.
struct StashedVersion {
    int stage = 0;
    int version = 0;    ///< 0: the weights before the first update
    double fromS = 0;   ///< when the next version replaces it
    double untilS = 0;  ///< when its last backward ends
    std::vector<int>
        devices;  ///< that keep it: a replica that takes microbatches in turn keeps its own alone
};

/// Under stashing a microbatch keeps the version that its forward used, under vertical sync the one that the
/// input stage had (PipeDream). Ordered by stage, then replica, then
/// version.
std::vector<StashedVersion> stashedVersions(const Plan& plan, const Timeline& timeline);

}  // namespace stagecraft
