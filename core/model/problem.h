#pragma once

#include "core/model/cluster.h"
#include "core/model/layer_profile.h"
#include "core/model/plan.h"

#include <algorithm>
#include <optional>

namespace stagecraft::model {

enum class TrainingMode {
    synchronous,   ///< a barrier after each mini-batch
    asynchronous,  ///< weights may be stale; a plan may still keep the barrier
};

enum class Optimizer { sgd, momentum, adam };
/// Numbers that it keeps for each parameter: 0, 1, 2.
double optimizerStateFactor(Optimizer optimizer);

/// In how many bytes weights and what belongs to them are kept (MODEL.md section 2; Rajbhandari et al., ZeRO,
/// SC 2020, Sec. 3.1).
enum class StatePrecision {
    uniform,  ///< all in the elements of the profile: training in fp32, where those have 4 bytes
    mixed,    ///< weights of 2 bytes beside master weights and moments of 4
    fp8,      ///< as mixed, and a copy of the weights in 1 byte for the matrix products
};

/// What gradients are summed in, where the precision is not uniform.
enum class GradientPrecision {
    half,    ///< 2 bytes
    single,  ///< 4, as Megatron-LM has it
};

/// What planners leave to be recomputed where they do not decide it themselves.
enum class Recomputation {
    none,
    selective,  ///< LayerMemory::selective, every layer
    full,       ///< LayerMemory::checkpoint, every layer
};

/// What is cut up among the copies of a layer in place of being held by each (ZeRO, Sec. 5; FSDP for
/// `weights`; Megatron-LM's distributed optimizer for `optimizer`). Each has those before it.
enum class ZeroStage {
    off,
    optimizer,  ///< ZeRO-1: master weights and moments
    gradients,  ///< ZeRO-2
    weights,    ///< ZeRO-3
};

/// What a device does with gradients once backwards are done, besides summing them and the step itself.
enum class GradientPasses {
    none,  ///< nothing; each stage updates when its own gradients are there
    /// Gradients are clipped by their norm: read for it, and read and written once more, where they are
    /// summed. No device takes its step before the last gradient of all is there.
    norm,
    /// As `norm`, and as Megatron-LM does with the buffer of all gradients that a device holds: set to zero,
    /// read for numbers that are none and, where copies sum them, read and written once to be scaled.
    megatron,
};

/// How transfers share the link set between two stages (MODEL.md section 3, E-SPP-5 and E-SPP-6).
enum class ChannelMode {
    fullDuplex,      ///< at most one transfer in each direction
    halfDuplex,      ///< one at all; under PE in the ordering phase's order, else first come first served
    halfDuplexFifo,  ///< one at all, always first come first served
};

/// Whether what goes over one link of the cluster at one time shares its width (MODEL.md, "Links that are
/// shared").
enum class LinkSharing {
    independent,  ///< each transfer and collective takes as long as if it were alone, as the papers have it
    shared,       ///< max-min fairly, each direction of a link by itself
};

struct TrainingSetup {
    int microbatches = 1;  ///< M, per iteration
    TrainingMode mode = TrainingMode::synchronous;
    Optimizer optimizer = Optimizer::sgd;
    StatePrecision precision = StatePrecision::uniform;
    GradientPrecision gradients = GradientPrecision::single;  ///< unless `precision` is uniform
    ZeroStage zero = ZeroStage::off;
    Recomputation recomputation = Recomputation::none;
    ChannelMode channel = ChannelMode::fullDuplex;
    LinkSharing network = LinkSharing::independent;
    std::optional<double> memoryLimitBytes;  ///< overrides the devices' own
    bool allreduceOverlaps = true;  ///< false: an AllReduce waits for every backward of the iteration
    /// Replicas that split a microbatch get whole samples, and all take as long as the one with most.
    bool wholeSamples = false;
    double passOverheadS = 0;      ///< that each pass takes besides what its layers do
    double transferOverheadS = 0;  ///< that each transfer between stages takes besides
    double reservedBytes = 0;      ///< on each GPU with a stage: NCCL's buffers, fragments, the CUDA context
    /// Of what a stage's ranks send to each other in a pass: the share that goes on while the pass computes,
    /// as far as that takes as long; 0 to 1.
    double insideOverlap = 0;
    /// Of what ZeRO-2 and 3 send for each microbatch, weights and gradients: the share that goes on while the
    /// pass computes, as far as that takes as long; 0 to 1.
    double zeroOverlap = 0;
    /// That each collective within a stage, or of its copies, takes besides bytes and latency. 0: what copies
    /// do goes round rings that take their bytes' time, as the papers count it.
    double collectiveStartS = 0;
    /// At which each GPU reads and writes weights, gradients and states in the optimizer's step, bytes/s.
    /// 0: the update takes no time, as in the papers.
    double updateBytesPerS = 0;
    GradientPasses gradientPasses = GradientPasses::none;  ///< at that rate
    /// Whether what is done with gradients supposes that each copy holds all of them, as up to ZeRO-1.
    bool holdsAllGradients() const {
        return updateBytesPerS > 0 && gradientPasses == GradientPasses::megatron;
    }
    /// Of tokens that are sent to experts: how many times as many as the mean the busiest rank of a group
    /// that shares them out has; at least 1, and no more than the group has ranks.
    double expertImbalance = 1;
    /// Of that group.
    double imbalanceOf(const Group& group) const { return std::min(expertImbalance, double(group.expert)); }
    // The group that planners give each stage (Group); what plans have stands in their stages.
    int tensor = 1, context = 1, expert = 1;
    bool sequenceParallel = false;
    Group group() const { return {tensor, context, expert, sequenceParallel}; }
    // What a GPU costs, for what training costs; 0: not known.
    double gpuPricePerHour = 0;  ///< dollars
    double gpuPowerW = 0;        ///< that it draws while it trains, with its share of the server
    bool operator==(const TrainingSetup&) const = default;
};

/// What a new project with the profile starts with, as training is done today: whole samples and, where
/// elements have 2 bytes, mixed precision under Adam.
TrainingSetup usualSetup(TrainingSetup setup, const LayerProfile& profile);

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
