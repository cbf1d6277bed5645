#pragma once

#include "core/analysis/contention.h"
#include "core/analysis/lane_text.h"
#include "core/analysis/metrics.h"

#include <string>
#include <vector>

namespace stagecraft::analysis {

/// What the time of an iteration is made of, seen from the lane that has most to do in it (of those within a
/// tenth of that, the one with the least gaps): its work, what passes before its first block and after its
/// last, and the gaps between. They add up to `iterationS`.
struct WhatBounds {
    enum class Kind {
        nothing,  ///< nothing takes time
        work,     ///< the lane is busy half of the time or more: a stage, a link, an AllReduce, a host link
        fillAndDrain,  ///< the pipeline fills and drains around it: the number of stages
        gaps,          ///< it waits in between for others
    };
    struct Share {
        int lane = 0;
        double seconds = 0;
    };

    Kind kind = Kind::nothing;
    int lane = -1;
    double iterationS = 0;  ///< of the microbatches asked for; without a barrier in the steady state
    double workS = 0;
    double fillS = 0;   ///< before its first block; 0 without a barrier
    double drainS = 0;  ///< after its last; 0 without a barrier
    double gapsS = 0;
    std::vector<Share>
        awaited;  ///< whose blocks ended its gaps, longest first; they sum to gapsS with a barrier
    std::vector<Share> critical;           ///< time on the critical path by lane, longest first
    double criticalS = 0;                  ///< sum of `critical`
    std::optional<Contention> contention;  ///< where links are shared and blocks had to

    /// What bounds the time, in short: "stage 3", "the number of stages", "waits of stage 3"; empty for
    /// nothing.
    std::string subject;
    std::string headline;              ///< one sentence with numbers, of the same
    std::vector<std::string> reasons;  ///< sentences
    std::vector<std::string> advice;   ///< what to try
};

/// Read off the timeline, which must have been measured as `metrics`. With a barrier the first iteration
/// counts.
/// @param microbatches asked for, in which plans are compared; 0: those of the plan's own mini-batch. All
/// seconds; those of the critical path are for that many.
WhatBounds whatBounds(const CostModel& costs, const Plan& plan, const Timeline& timeline,
                      const Metrics& metrics, int microbatches = 0);

}  // namespace stagecraft::analysis
