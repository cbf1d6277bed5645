#pragma once

#include "core/model/plan.h"
#include "core/model/problem.h"
#include "core/model/timeline.h"
#include "core/validation/network.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace stagecraft::validation {

/// Seconds of one microbatch, or one slice of it, on one replica (MODEL.md section 1).
struct Durations {
    double forward = 0;
    double backward = 0;  ///< the whole of it
    double weightGradient = 0;
    double recompute = 0;
    double swap = 0;  ///< one way
    /// Among them, beside no computing: sent within the stage, and of that to experts and back.
    double sentForward = 0, sentBackward = 0, expertsForward = 0, expertsBackward = 0;
    double sentRecompute = 0;
    // Parts of what is sent that no computing hides.
    double bareForward = 0, bareBackward = 0, bareRecompute = 0;
};

/// The link set between the workers of two stages.
struct Channel {
    std::vector<int> from, to;  ///< ascending
    double forwardS = 0, backwardS = 0;
};

/// What a stage puts into the memory of the stage that mirrors it in its pipeline.
struct EvictionFacts {
    int lender = -1;                            ///< that stage; -1: it evicts nothing
    std::optional<std::set<int>> microbatches;  ///< those that it evicts; nothing: as the family likes
    Channel channel;                            ///< from its devices to the lender's, and back
    double bytesOfEach = 0, bytesOfLender = 0;  ///< of a microbatch, on each of either's devices
};

/// What the plan means for one stage, worked out layer by layer.
struct StageFacts {
    int pipeline = 0;
    int position = 0;  ///< within its pipeline, from 0
    int pipelineStages = 0;
    bool roundRobin = false;
    std::vector<int> devices;  ///< ascending for a split stage, as given for a round-robin one
    Group group;
    std::vector<Durations> replicas;  ///< one entry for a split stage
    bool recomputes = false;
    bool swaps = false;
    // Bytes on each device that works on a microbatch, for it or for one slice of it.
    double keptBytes = 0, recomputedBytes = 0, swappedBytes = 0, inputBytes = 0;
    bool fromInput = false;    ///< some layers are recomputed from what comes into the stage
    double deferredBytes = 0;  ///< between a split backward's input and weight gradients
    double parameterBytes = 0;
    // Bytes on each of its devices, throughout.
    double versionBytes = 0;   ///< of one version of the weights
    double besidesBytes = 0;   ///< gradients, master weights and the optimizer's moments
    double updateS = 0;        ///< of the optimizer's step, with what clips gradients
    double gradientPassS = 0;  ///< over the gradients that it holds, before copies sum them
    // Besides, while it computes: of the layer at work.
    double gatheredBytes = 0, gradientBytes = 0;
    std::vector<int> incoming, outgoing;  ///< edges
    EvictionFacts eviction;

    bool evicts() const { return eviction.lender >= 0; }

    int replicaCount() const { return static_cast<int>(replicas.size()); }
    /// Copies of the layers that the devices are.
    int copies() const { return static_cast<int>(devices.size()) / (group.tensor * group.context); }
    /// The devices that work on a microbatch taken by that replica.
    std::vector<int> workers(int replica) const;
};

struct EdgeFacts {
    int from = 0, to = 0;
    double forwardBytes = 0, backwardBytes = 0;
    bool transfers = true;          ///< false: both stages are on the same devices
    std::vector<Channel> channels;  ///< by replica of `from`, then of `to`
};

/// What the holders of the same layers do so that all go on with the same weights.
struct GroupFacts {
    std::vector<int> stages;  ///< ascending
    // Seconds of each; 0 and not there unless the setup's ZeRO has it.
    double allReduceS = 0;
    double scatterS = 0;  ///< of gradients
    double gatherS = 0;   ///< of weights
    /// Parts of the two that are left where passes hide some; for a gather by stage and, of its passes, first
    /// forwards, then backwards. Not there: all.
    double scatterPart = 1;
    std::map<int, std::array<double, 2>> gatherParts;
    double gatherPart(int stage, bool backward) const;
    /// Bytes of parameters in the profile's elements, by who holds the same of them, ascending.
    std::map<std::vector<int>, double> bytesByHolders;
    // Of gradients and of weights that are sent, for each of those bytes.
    double gradientBytes = 1, sentBytes = 1;
};

/// What devices that share out the layers of a vocabulary do for them, of one microbatch: each its own part
/// of the words, as large as any other's.
struct VocabularyFacts {
    struct Part {
        double headForward = 0, headBackward = 0, embeddingForward = 0, embeddingBackward = 0;
    };
    VocabularyPasses passes = VocabularyPasses::none;
    bool hasEmbedding = false;
    std::vector<Part> parts;                   ///< by stage
    std::vector<int> devices;                  ///< ascending
    std::vector<std::vector<int>> copies;      ///< those of each copy of the network, ascending
    std::map<BlockKind, double> sentBytes;     ///< by each device, in what they send each other
    double headBytes = 0, embeddingBytes = 0;  ///< of the parameters of its words, on each
    double heldBytes = 0;                      ///< by each, from the start of its S to the end of its T
    double headInputS = 0, headBarrierS = 0, headGradientS = 0, embeddingOutputS = 0, embeddingReturnS = 0;

    bool isShared() const { return passes != VocabularyPasses::none; }
    /// What they send between S and T is in the order of each of them, and not on a lane of its own.
    bool isInOrders(BlockKind kind) const {
        return passes == VocabularyPasses::interlaced && kind != BlockKind::embeddingOutput &&
               kind != BlockKind::embeddingReturn;
    }
    /// 0: the plan has no such block.
    double secondsOf(BlockKind kind) const;
};

/// Everything that follows from problem and plan. The plan must have passed checkPlan().
struct Facts {
    Facts(const Problem& problem, const Plan& plan);

    /// Forward passes of an iteration: of its pipeline's microbatches, slice by slice.
    int passesOf(int stage) const;
    /// Where those of a microbatch's slice come among them.
    int ordinalOf(int microbatch, int slice) const { return microbatch / pipelines * slices + slice; }
    int microbatchOf(int stage, int ordinal) const;
    /// The microbatch's number, within its pipeline and over all iterations, decides the replica.
    int replicaOf(int stage, int iteration, int ordinal) const;
    const Channel& channelOf(int edge, int iteration, int ordinal) const;
    /// By what a microbatch is divided for the replica with most of it.
    double shareOf(const StageFacts& stage) const;

    int microbatches = 0;
    int pipelines = 0;
    int slices = 1;              ///< of each microbatch's sequences, all alike
    bool splitBackward = false;  ///< some backwards are an input gradient and a weight gradient
    bool wholeBackward = true;   ///< some are one block
    bool periodic = false;
    /// A link carries one transfer each way at once. Those of a periodic pattern are half duplex whatever the
    /// setup says (MadPipe, E-MP-10).
    bool fullDuplex = false;
    std::vector<StageFacts> stages;
    std::vector<EdgeFacts> edges;
    bool passesOverGradients = false;  ///< GradientPasses::megatron, and it takes time
    bool clipsByNorm = false;          ///< updates wait for all gradients
    VocabularyFacts vocabulary;
    std::vector<GroupFacts> groups;  ///< those that need an AllReduce, by lowest stage
    std::vector<int> groupOf;        ///< by stage; -1: none
    int wholeSamplesOf = 0;  ///< samples of a microbatch of which replicas get whole ones; 0: equal shares
    ZeroStage zero = ZeroStage::off;

private:
    void addStages(const Problem& problem, const Plan& plan, const Network& network);
    void addLayers(const Problem& problem, const Plan& plan, const Stage& stage, StageFacts& facts) const;
    void addEdges(const Problem& problem, const Plan& plan, const Network& network);
    void addGroups(const Problem& problem, const Plan& plan, const Network& network);
    void hideSyncs(const TrainingSetup& setup);
    void addStates(const Problem& problem, const Plan& plan);
    void addGradientPasses(const Problem& problem);
    void addVocabulary(const Problem& problem, const Plan& plan, const Network& network);
    void addSendsOfWords(const Problem& problem, const std::vector<int>& own, double part,
                         const Network& network);
    void addEvictions(const Problem& problem, const Plan& plan, const Network& network);
    void addEviction(const Problem& problem, int stage, const Network& network);
};

std::vector<int> sorted(std::vector<int> values);
bool isTransfer(BlockKind kind);
/// What a group's devices do together: an AllReduce, a ReduceScatter, an AllGather.
bool isSync(BlockKind kind);
/// What all who share a vocabulary's layers send to each other.
bool isOfVocabularyLink(BlockKind kind);

}  // namespace stagecraft::validation
