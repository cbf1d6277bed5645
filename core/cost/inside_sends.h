#pragma once

#include "core/cost/collectives.h"
#include "core/cost/divided_profile.h"

namespace stagecraft::cost {

/// What ranks of a stage send to each other by one kind of parallelism for a whole microbatch of one copy:
/// bytes of the busiest rank, over the slowest link of the slowest of the rings.
struct InsideSend {
    double forwardBytes = 0, backwardBytes = 0;
    double forwardBps = 0, backwardBps = 0;        ///< the mean, where layers are sent at several rates
    double forwardStartS = 0, backwardStartS = 0;  ///< besides what bytes take
    /// How; of several layers the last's.
    CollectiveAlgorithm forwardBy = CollectiveAlgorithm::ring, backwardBy = CollectiveAlgorithm::ring;
    bool severalRings = false;  ///< CollectiveRanks::severalRings
    bool isMixed = false;       ///< some layers' another way than the last's
    double forwardS() const { return forwardStartS + (forwardBps > 0 ? forwardBytes / forwardBps : 0); }
    double backwardS() const { return backwardStartS + (backwardBps > 0 ? backwardBytes / backwardBps : 0); }
    bool isEmpty() const { return forwardBps == 0; }
    /// The same ranks' for other layers.
    InsideSend& operator+=(const InsideSend& other);
};
struct InsideSends {
    InsideSend tensor, context, expert;
    double forwardS() const { return tensor.forwardS() + context.forwardS() + expert.forwardS(); }
    double backwardS() const { return tensor.backwardS() + context.backwardS() + expert.backwardS(); }
    InsideSends& operator+=(const InsideSends& other);
};

/// Who sends, and what it takes besides bytes.
struct InsideRanks {
    Group group;
    double imbalance = 1;  ///< of experts (TrainingSetup)
    double startS = 0;     ///< of each collective
    CollectiveRanks tensor, context, expert;

    /// Whether all go round rings, and take what their bytes take.
    bool costsBytesAlone() const;
};

/// What that takes for layers, each kind of collectives by the algorithm that is fastest for them together.
InsideSends insideSendsOf(const SentInside& sent, const InsideRanks& ranks);

}  // namespace stagecraft::cost
