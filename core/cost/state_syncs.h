#pragma once

#include "core/model/problem.h"

#include <vector>

namespace stagecraft::cost {

enum class SyncTrigger {
    beforePass,     ///< each forward, and each backward, recomputation included
    afterBackward,  ///< of each microbatch, its weight gradient where that is apart
    iteration,      ///< once, after the last backward
};

/// What the copies of a layer do together, so that all of them go on with the same weights.
struct StateSync {
    BlockKind kind = BlockKind::allReduce;
    SyncTrigger trigger = SyncTrigger::iteration;
    /// Bytes, for each byte of the parameters in the profile, that go once round the ring of the copies: of
    /// k copies each sends (k-1)/k of them. An AllReduce goes round twice.
    double roundBytes = 2;
};

/// @param backwards of an iteration, of slices where sequences are cut
double timesAnIteration(SyncTrigger trigger, double backwards);

/// In the order in which an iteration has them (ZeRO, Sec. 7; PARALLELISM.md, "Bytes per parameter"):
/// - without ZeRO an AllReduce of the gradients at the end;
/// - ZeRO-1: they are scattered, and what comes of them is gathered, both at the end;
/// - ZeRO-2: they are scattered after each microbatch;
/// - ZeRO-3: weights are gathered before each pass, and not at the end.
std::vector<StateSync> stateSyncs(const Problem& problem);

/// The least share that is sent while nothing is computed: with passes that hide all that zeroOverlap allows.
double leastExposed(SyncTrigger trigger, const TrainingSetup& setup);

/// Bytes, for each byte of the parameters, of which an AllReduce takes as long as all that an iteration has
/// that computing cannot hide.
/// @param slices of each microbatch's sequences, which have passes of their own
double synchronisedBytes(const Problem& problem, int slices = 1);

}  // namespace stagecraft::cost
