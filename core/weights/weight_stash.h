#pragma once

#include "core/model/plan.h"
#include "core/model/timeline.h"

#include <vector>

namespace stagecraft::weights {

/// Weights of a stage beside its newest, which passes of a microbatch or a mini-batch still need.
struct StashedVersion {
    int stage = 0;
    int version = 0;         ///< 0: the weights before the first update
    bool predicted = false;  ///< not the version itself but what a bellwether made of it
    double fromS = 0;        ///< when the next version replaces it; a prediction: when it is made
    double untilS = 0;       ///< when its last pass ends
    std::vector<int>
        devices;  ///< that keep it: a replica that takes microbatches in turn keeps its own alone
};

/// Under stashing a microbatch keeps the version that its forward used until its backward ends, under
/// vertical sync the one that the input stage had (PipeDream), under double buffering that of one update
/// before. What a bellwether predicts is kept, for forwards and for backwards, until the last of its
/// mini-batch has passed (XPipe III-B); where no update is expected nothing is predicted, and the version
/// current then is kept. None under the other policies. Ordered by stage, then replica, then version.
std::vector<StashedVersion> stashedVersions(const Plan& plan, const Timeline& timeline);

}  // namespace stagecraft::weights
