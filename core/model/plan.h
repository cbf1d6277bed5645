#pragma once

#include "core/model/group.h"
#include "core/model/pass_kinds.h"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace stagecraft::model {

/// How the replicas of a stage share the work.
enum class Replication {
    split,       ///< every microbatch is split evenly over all replicas (SPP III-B)
    roundRobin,  ///< microbatch t runs whole on replica t mod k (PipeDream's 1F1B-RR)
};

/// Consecutive layers on a set of devices. A device may hold several stages.
struct Stage {
    int firstLayer = 0;
    int lastLayer = 0;         ///< included
    std::vector<int> devices;  ///< indices into Cluster::devices, without repetition
    /// Which copy of the network the stage belongs to. Copies (HetPipe's virtual workers, the two
    /// directions of Chimera) share a mini-batch: copy p of n takes microbatches p, p+n, p+2n, …, and layers
    /// that are in several copies are kept equal by an AllReduce among them.
    int pipeline = 0;
    Replication replication = Replication::split;  ///< of the copies
    Group group = {};  ///< the devices are so many copies of it as there are, one after the other

    int layerCount() const { return lastLayer - firstLayer + 1; }
    bool operator==(const Stage&) const = default;
};

/// One entry of a device's order; microbatch counts from 0 within the iteration.
struct Task {
    TaskKind kind = TaskKind::forward;
    int stage = 0;
    int microbatch = 0;
    /// It overlaps the task before it in one block: a whole backward after a forward.
    bool paired = false;
    int slice = 0;  ///< which part of the microbatch's sequences, from 0; 0 where they are whole
    bool operator==(const Task&) const = default;
};

/// A schedule family by name ("gpipe", "1f1b", "pe", …) with its parameters.
struct FamilySchedule {
    std::string name = "1f1b";
    std::map<std::string, double> parameters;
    bool operator==(const FamilySchedule&) const = default;
};

/// How long a forward and a backward take that overlap.
struct PairTimes {
    double share = 1;                ///< of the sum of both
    std::vector<double> byForwardS;  ///< by the stage of the forward; empty: as `share` has it
    /// Of what ranks send of either pass to experts and back: the share that goes on while the other pass
    /// computes, as far as that takes as long; 0 to 1.
    double hidden = 0;
    bool operator==(const PairTimes&) const = default;
};

/// How the devices of a pipeline share out the layers of the vocabulary (Yeung et al., Balancing Pipeline
/// Parallelism with Vocabulary Parallelism, MLSys 2025): each has a part of the words, and passes of its own
/// for it. A barrier is what all of them send to each other between its passes.
enum class VocabularyPasses : std::uint8_t {
    none,         ///< the first and the last stage have those layers, whole
    twoBarriers,  ///< Alg. 1: one after S, for the softmax, and one after T, for the gradient of the input
    oneBarrier,   ///< Alg. 2: S has made that gradient, and the one barrier sums it too
    interlaced,   ///< all devices run S and T at once and wait for each other (nnScaler, OSDI 2024)
};

/// An order spelled out for each device that computes: orders[device index].
struct ExplicitSchedule {
    std::map<int, std::vector<Task>> orders;
    PairTimes pairTimes;
    int slices = 1;  ///< of each microbatch's sequences
    VocabularyPasses vocabulary = VocabularyPasses::none;
    bool operator==(const ExplicitSchedule&) const = default;
};

/// One more than the highest slice that the tasks name.
int slicesNamed(const std::vector<Task>& tasks);
/// How orders that do not say it share out the layers of a vocabulary: interlaced if T comes right after its
/// S everywhere, with one barrier if some backward comes before its T, else with two.
VocabularyPasses vocabularyNamed(const ExplicitSchedule& schedule);

/// In period k, microbatch k - shift starts at k * period + startS. A transfer belongs to the stage before it
/// (the one that sends forward).
struct PatternOperation {
    BlockKind kind = BlockKind::forward;  ///< a forward, a whole backward, or a transfer
    int stage = 0;
    double startS = 0;  ///< in [0, period)
    int shift = 0;
    bool operator==(const PatternOperation&) const = default;
};

/// A pattern that repeats for ever, one microbatch per period (MadPipe 4.1).
struct PeriodicSchedule {
    double periodS = 0;
    std::vector<PatternOperation> operations;
    bool operator==(const PeriodicSchedule&) const = default;
};

struct Schedule {
    std::variant<FamilySchedule, ExplicitSchedule, PeriodicSchedule> order;
    /// Of a policy that allows both: a backward is two blocks, input gradient and weight gradient. An
    /// explicit order says it of each.
    bool splitBackward = false;
    bool operator==(const Schedule&) const = default;

    /// Whether some backward is two blocks.
    bool splits() const;
    PairTimes pairTimes() const;
    /// Into how many parts the sequences of each microbatch are cut; 1: they are whole.
    int slices() const;
    VocabularyPasses vocabulary() const;
    bool sharesVocabulary() const { return vocabulary() != VocabularyPasses::none; }
};

/// PairTimes::share of the schedule families that pair passes.
inline constexpr const char* overlapParameter = "overlap";
/// PairTimes::hidden of them.
inline constexpr const char* hiddenParameter = "hidden";
/// Schedule::slices() of the schedule families that cut sequences.
inline constexpr const char* slicesParameter = "slices";
inline constexpr int mostSlices = 1024;

/// The schedule families that share the vocabulary's layers out.
struct VocabularyFamily {
    const char* name;
    VocabularyPasses passes;
};
inline constexpr VocabularyFamily vocabularyFamilies[] = {{"vocab-1", VocabularyPasses::twoBarriers},
                                                          {"vocab-2", VocabularyPasses::oneBarrier},
                                                          {"interlaced", VocabularyPasses::interlaced}};

/// What becomes of a layer's stored activations between its forward and its backward.
enum class LayerMemory : std::uint8_t {
    keep,
    recompute,  ///< with others of its stage at once, from what comes into the stage (GPipe; vPipe)
    swap,
    selective,   ///< all but the scores of attention stay (Korthikanti et al., MLSys 2023, Sec. 5)
    checkpoint,  ///< what comes into the layer stays, and the layer is recomputed by itself ("full")
};

struct MemoryPolicy {
    std::map<int, LayerMemory> layers;  ///< layers that are not kept, by index
    /// MadPipe: 2(a_{k-1} + a_l) is reserved for a stage's buffers throughout.
    bool reserveBuffers = false;
    bool operator==(const MemoryPolicy&) const = default;
};

/// Which weights a backward uses, and so how many versions are alive.
enum class WeightPolicyKind : std::uint8_t {
    single,        ///< one version, updated in place (synchronous systems)
    stashing,      ///< the version of its own forward (PipeDream)
    verticalSync,  ///< the version that the input stage had (PipeDream)
    doubleBuffer,  ///< two versions (PipeDream-2BW)
    predicted,     ///< one version and a prediction made from it (XPipe, SpecTrain)
    latest,        ///< whatever is current: a backward may use another version than its forward did
};

/// How a prediction finds how many updates ahead it has to look.
enum class VersionDifference : std::uint8_t {
    counted,  ///< the updates of its stage, its own left out, until its mini-batch leaves the input stage,
              ///< counted on the timeline
    exact,    ///< the closed form for passes that take equally long (E-XP-3)
    printed,  ///< XPipe's Eq. (1) and (2)
};

struct WeightPolicy {
    WeightPolicyKind kind = WeightPolicyKind::single;
    /// Versions that each stage keeps, the current one included; empty: two under doubleBuffer, as many as
    /// are needed at each instant under stashing, verticalSync and predicted, else one.
    std::vector<int> versions;
    VersionDifference difference = VersionDifference::exact;  ///< under predicted
    bool operator==(const WeightPolicy&) const = default;
};

/// Where a plan's mini-batches differ from the setup's.
struct MiniBatch {
    int microbatches = 0;    ///< between two updates (XPipe's T; 1 in PipeDream); 0: the setup's M
    bool barrier = false;    ///< nothing of the next mini-batch before the update, though the setup allows it
    int microbatchSize = 0;  ///< samples, with microbatches > 0; 0: the profile's
    bool operator==(const MiniBatch&) const = default;
};

/// What a plan says of itself, besides its decisions; the validator holds it to that. A planner that gives
/// each of its plans such a claim says so in its description; what a person edits claims nothing
/// (asHandMade).
struct PlanClaims {
    bool oneStagePerDevice = false;  ///< no device holds several stages
    bool usesEveryDevice = false;    ///< no device is left without a stage
    bool fitsMemory = false;         ///< no device exceeds its limit at any instant
    bool operator==(const PlanClaims&) const = default;
};

/// What a planner decided and nothing that follows from it.
struct Plan {
    std::string planner;                            ///< id
    std::string name;                               ///< what a person calls it; may be empty
    std::map<std::string, std::string> parameters;  ///< what the planner was given, as on the command line
    std::vector<Stage> stages;  ///< of one pipeline after the other, each in the order of its layers
    Schedule schedule;
    MemoryPolicy memory;
    WeightPolicy weights;
    MiniBatch miniBatch;
    PlanClaims claims;

    /// Whether the group of some stage divides its layers.
    bool dividesLayers() const {
        for (const Stage& stage : stages)
            if (stage.group.dividesLayers()) return true;
        return false;
    }
    int stageCount() const { return static_cast<int>(stages.size()); }
    int pipelineCount() const;
    /// The one as far from the end of its pipeline as this one is from the beginning.
    int mirroredStage(int stage) const;
    LayerMemory layerMemory(int layer) const;
    bool operator==(const Plan&) const = default;
};

}  // namespace stagecraft::model
