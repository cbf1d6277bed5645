#pragma once

#include "core/model/plan.h"

#include <vector>

namespace stagecraft::schedules {

/// One entry of a stage's own order in a pipeline of which every stage has devices of its own.
struct StageOp {
    TaskKind kind = TaskKind::forward;
    int microbatch = 0;  ///< from 0, counted within the pipeline
    bool operator==(const StageOp&) const = default;
};

/// One transfer in a channel's order; `backward`: of the gradient.
struct ChannelOp {
    bool backward = false;
    int microbatch = 0;
    bool operator==(const ChannelOp&) const = default;
};

/// What the devices of a stage do in a round, where each device has one stage; microbatches are counted
/// within the pipeline, from the beginning of the round.
struct StageOrder {
    /// Replica r of a stage whose replicas have orders of their own takes every `step`-th microbatch from the
    /// r-th on, and counts these alone; else there is one order, for all.
    std::vector<std::vector<StageOp>> ofReplicas;
    int step = 1;
    bool operator==(const StageOrder&) const = default;
};

/// The transfers of an iteration on the half-duplex channel from a stage of the plan to the next of its
/// pipeline; microbatches are counted within the pipeline.
struct ChannelOrder {
    int from = 0, to = 0;
    std::vector<ChannelOp> ops;
    bool operator==(const ChannelOrder&) const = default;
};

}  // namespace stagecraft::schedules
