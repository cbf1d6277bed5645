#pragma once

#include "core/model/cluster.h"
#include "core/model/layer_profile.h"
#include "core/model/plan.h"

#include <optional>

namespace stagecraft::model {

enum class TrainingMode {
    synchronous,   ///< a barrier after each mini-batch
    asynchronous,  ///< weights may be stale; a plan may still keep the barrier
};

enum class Optimizer { sgd, momentum, adam };
/// Optimizer-state bytes per parameter byte: 0, 1, 2.
double optimizerStateFactor(Optimizer optimizer);

/// How transfers share the link set between two stages (MODEL.md section 3, E-SPP-5 and E-SPP-6).
enum class ChannelMode {
    fullDuplex,      ///< at most one transfer in each direction
    halfDuplex,      ///< one at all; under PE in the ordering phase's order, else first come first served
    halfDuplexFifo,  ///< one at all, always first come first served
};

struct TrainingSetup {
    int microbatches = 1;  ///< M, per iteration
    TrainingMode mode = TrainingMode::synchronous;
    Optimizer optimizer = Optimizer::sgd;
    ChannelMode channel = ChannelMode::fullDuplex;
    std::optional<double> memoryLimitBytes;  ///< overrides the devices' own
    bool allreduceOverlaps = true;  ///< false: an AllReduce waits for every backward of the iteration
    bool operator==(const TrainingSetup&) const = default;
};

/// All that a planner is given.
struct Problem {
    LayerProfile profile;
    Cluster cluster;
    TrainingSetup setup;

    /// The setup's limit, else the device's own memory.
    double memoryLimitBytes(int device) const;
    /// The least limit of all devices; infinity without devices.
    double leastMemoryLimitBytes() const;
    double samplesPerIteration() const { return double(setup.microbatches) * profile.microbatchSize; }
    bool operator==(const Problem&) const = default;
};

/// The setup under which the plan runs: the one asked for, with the plan's own mini-batches.
TrainingSetup setupOf(const Plan& plan, TrainingSetup asked);
/// Whether the plan's microbatches are of another size than the profile's.
bool hasOtherMicrobatches(const Plan& plan, const LayerProfile& profile);
/// The problem that the plan runs: with its setup, and the profile at the size of its microbatches.
Problem problemOf(const Plan& plan, const Problem& asked);
/// How many of the plan's microbatches an iteration of the problem asked for has.
/// @throws std::invalid_argument if it has no whole number of them
int microbatchesAsked(const Plan& plan, const Problem& asked);

/// A sentence that says why nothing can be planned on the problem (no layer, no device, a cluster in pieces,
/// negative or non-finite numbers, M < 1, edges that run back), or nothing if it can.
std::optional<std::string> whyUnplannable(const Problem& problem);

}  // namespace stagecraft::model
