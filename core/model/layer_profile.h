#pragma once

#include "core/base/rooms.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::model {

/// What keeps a part of a layer's stored activations. Sequence parallelism divides all of them, tensor
/// parallelism alone those other than input, norm and router (Korthikanti et al., MLSys 2023, Sec. 4.2).
enum class ActivationCause {
    input,      ///< the tensor at the layer's entrance: all that a full recomputation keeps
    attention,  ///< queries, keys, values, and what the output projection reads
    scores,     ///< scores, softmax and their dropout: what a selective recomputation drops
    logSumExp,  ///< of each row of scores, in fp32: what fused attention keeps in their place
    mlp,        ///< inside the feed-forward network, or the experts and what is sent to them
    norm,       ///< read or made by norms, and masks of dropouts, between attention and feed-forward network
    router,     ///< the scores by which experts are chosen
    head,       ///< logits and loss
    other,
};

struct StoredPart {
    ActivationCause cause = ActivationCause::other;
    double bytes = 0;
    bool operator==(const StoredPart&) const = default;
};

/// What of a layer a group of ranks divides (Group), and what they send to each other for it. Shares are of
/// the layer's own numbers, 0 to 1, and say what tensor parallelism divides; what it does not, sequence
/// parallelism does, and context parallelism both, but no parameters. Bytes are of one microbatch, of whole
/// tensors.
struct LayerDivision {
    double forwardShare = 0, backwardShare = 0, weightGradientShare = 0;
    double parameterShare = 0;            ///< of parameters that are not experts'
    double weightGradientBytesShare = 0;  ///< of keptForWeightGradient()
    std::vector<StoredPart> stored;       ///< of Layer::storedParts, by cause; each once, ascending
    double entryBytes = 0;     ///< read where tensors begin to be divided; its gradients are summed there
    double exitBytes = 0;      ///< made where they end to be: summed there
    double keyValueBytes = 0;  ///< of which context-parallel ranks need all
    double routedBytes = 0;    ///< of tokens: sent to their experts, and again back from there
    // How many collectives these bytes are, of either direction; each begins once. None though there are
    // bytes: one (routedBytes: two).
    double entries = 0, exits = 0, keyValueRounds = 0, routings = 0;
    // Of the times at the profile's own microbatch size what takes as long however small a rank's part is.
    double fixedForwardShare = 0, fixedBackwardShare = 0, fixedWeightGradientShare = 0;
    // What routed experts do with tokens that were sent to them: of the times, of keptForWeightGradient(),
    // and of what is stored as `mlp`. Tensor parallelism divides none of it; the busiest expert rank has
    // TrainingSetup::expertImbalance times the mean.
    double expertForwardShare = 0, expertBackwardShare = 0, expertWeightGradientShare = 0;
    double expertWeightGradientBytesShare = 0, expertStoredBytes = 0;
    /// Whether it says what an uneven load changes; not known where it sends to experts and has none.
    bool knowsExperts() const { return expertForwardShare > 0 || expertBackwardShare > 0; }
    bool operator==(const LayerDivision&) const = default;
};

/// What a layer takes for one microbatch; seconds.
struct LayerTimes {
    double forwardS = 0;
    double backwardS = 0;
    double weightGradientS = 0;
    bool operator==(const LayerTimes&) const = default;
};

/// What was measured of a layer on each of so many tensor-parallel ranks or on another type of GPU, for one
/// microbatch of a size of its own. Times are from a rank's beginning to its end: what the ranks send each
/// other meanwhile is in them, and is added nowhere.
struct RankMeasurement {
    /// Ranks; at least 2 on the profile's own GPU: on one of those the layer is as it says itself.
    int tensor = 2;
    bool sequenceParallel = false;  ///< whether they also divided the tokens (Group)
    int microbatchSize = 1;
    std::optional<LayerTimes> times = {};              ///< nothing: by the layer's division, sends added
    std::optional<double> parameterBytes = {};         ///< nothing: by the layer's division, else evenly
    std::optional<double> storedActivationBytes = {};  ///< nothing: by the layer's division, else all
    /// The type of GPU that these are times on, and nothing else (measured_gpus.h); empty: the profile's own.
    std::string gpu = {};
    bool operator==(const RankMeasurement&) const = default;
};

/// What a layer is whose weights have a row for each word, so that devices may share them out.
enum class VocabularyLayer {
    none,       ///< another layer
    embedding,  ///< looks words up
    head,       ///< a score for each word, and the loss
};

/// One layer of a network, measured for ONE microbatch of LayerProfile::microbatchSize samples on one
/// reference GPU. Times in seconds, sizes in bytes.
struct Layer {
    std::string name;
    double forwardS = 0;               ///< p^f of SPP
    double backwardS = 0;              ///< p^b of SPP: input gradient and weight gradient together
    double parameterBytes = 0;         ///< alpha of SPP, w_l of PipeDream
    double outputBytes = 0;            ///< d^f: the activation passed to each successor
    double outputGradientBytes = 0;    ///< d^b: what comes back for it
    double storedActivationBytes = 0;  ///< kept from the start of the forward to the end of the backward
    double weightGradientS = 0;        ///< the part of backwardS that may be deferred
    /// Kept from the end of the input gradient to that of the weight gradient, where they are split; nothing:
    /// half of storedActivationBytes.
    std::optional<double> weightGradientBytes = {};
    double keptForWeightGradient() const { return weightGradientBytes.value_or(storedActivationBytes / 2); }
    /// storedActivationBytes by cause: ascending, each once, with the same sum; empty: not known.
    std::vector<StoredPart> storedParts = {};
    /// The part of forwardS that a selective recomputation takes again: scores, softmax, dropout and the
    /// weighted sum (Korthikanti et al., MLSys 2023, Sec. 5); 0: nothing, or not known.
    double scoresRecomputeS = 0;
    double expertParameterBytes = 0;  ///< the part of parameterBytes that routed experts have
    std::optional<LayerDivision> division =
        {};  ///< nothing: a group cannot divide it, or it is not known how
    /// Ascending by GPU, degree, sequence parallelism and size, each once; none on several ranks where routed
    /// experts are. A group that was measured is not worked out by `division`.
    std::vector<RankMeasurement> onRanks = {};
    /// FLOP of a forward of the microbatch; a multiply-add is two, and what a causal mask hides counts
    /// (Chowdhery et al., PaLM, 2022, App. B). Nothing: its operations are not known. No plan depends on it.
    std::optional<double> flops = {};
    VocabularyLayer vocabulary = VocabularyLayer::none;
    bool operator==(const Layer&) const = default;
};

/// The bytes of one cause; 0 where parts are not known.
double storedBytes(const Layer& layer, ActivationCause cause);
/// Adds to `parts` what a layer stores, as `other` where it does not say of what.
void addStoredParts(std::vector<StoredPart>& parts, const Layer& layer);
/// Whether the parts, if there are any, have the sum that they are to have, but for rounding.
bool storedPartsAddUp(const Layer& layer);
/// Parts of another sum, in proportion. Parts that were nothing are not known any more.
void scaleStoredParts(Layer& layer, double factor);
/// Those of a part of the layer more; not known where the part's are not.
void addFlops(Layer& layer, const Layer& part);
/// What crosses the layer is so many times as much, and what its ranks send to each other.
void scaleSentBytes(Layer& layer, double factor);

/// How a layer is divided that is made of others, of all of which that has to be known.
class DivisionSum {
public:
    void add(const Layer& part);
    std::optional<LayerDivision> of(const Layer& whole) const;

private:
    LayerDivision sum_;  // shares times what they are of
    double shared_ = 0;  // bytes of parameters that are not experts'
    bool isKnown_ = true;
};

/// The output of layer `from` is an input of layer `to`; from < to.
struct LayerEdge {
    int from = 0;
    int to = 0;
    bool operator==(const LayerEdge&) const = default;
};

/// The times of all layers at a microbatch size of their own. Bytes are not repeated: outputs and stored
/// activations grow with the size, parameters do not.
struct TimesAtSize {
    int microbatchSize = 1;
    std::vector<LayerTimes> layers;  ///< as many as the profile has
    bool operator==(const TimesAtSize&) const = default;
};

/// A network's operators as a source gave them, before they were grouped into the layers of a profile.
struct NetworkGraph {
    std::vector<Layer> nodes;      ///< in a topological order
    std::vector<LayerEdge> edges;  ///< between nodes
    std::vector<int> layerOf;      ///< by node: the layer that it is part of, -1: left out
    bool operator==(const NetworkGraph&) const = default;
};

/// What operations of like intensity (FLOP a byte) are to a GPU in one microbatch, forward and backward
/// together: they take flops / peak or bytes / bandwidth, whichever is longer. Both are more than what is
/// computed and moved by the shares of peak and bandwidth that are reached.
struct RooflineTerm {
    double flops = 0;
    double bytes = 0;
    bool operator==(const RooflineTerm&) const = default;
};

/// What the degrees of a group have to divide: 0 where there is nothing to be divided.
struct DivisibleParts {
    int heads = 0;  ///< by the tensor degree: the greatest common divisor of those of queries and of keys
    int tokens = 0;
    int experts = 0;
    bool operator==(const DivisibleParts&) const = default;
};

/// The layers of a network in a topological order, and which feeds which.
struct LayerProfile {
    std::string name;
    std::string source;  ///< how the numbers were obtained
    int microbatchSize = 1;
    std::vector<Layer> layers;
    std::vector<LayerEdge> edges;         ///< empty: a chain in the order of `layers`
    std::vector<TimesAtSize> otherSizes;  ///< ascending by size, without microbatchSize itself
    NetworkGraph operators;               ///< no nodes: the layers are all that is known
    /// Whether samples are sequences of which no part needs a later one (a decoder's causal mask), so that
    /// the parts can go through the network one after the other; nothing: not known.
    std::optional<bool> causalSequence = {};
    /// Of one element of parameters and activations: 2 in half precision; nothing: not known.
    std::optional<int> elementBytes = {};
    /// Of the whole network, by rising intensity, so that its time on other GPUs can be told; empty: not
    /// known. No plan depends on it.
    std::vector<RooflineTerm> roofline = {};
    DivisibleParts divisible = {};  ///< where layers say how they are divided
    /// FLOP/s of the reference GPU at the precision of the times, dense, as its data sheet has it; nothing:
    /// not known. No plan depends on it.
    std::optional<double> peakFlops = {};

    /// FLOP of a forward of the microbatch by all layers; nothing where one does not know its own.
    std::optional<double> forwardFlops() const;
    /// Numbers that are trained: parameter bytes over elementBytes; nothing where that is not known.
    std::optional<double> parameterCount() const;
    int layerCount() const { return static_cast<int>(layers.size()); }
    bool isChain() const;
    /// The edges that hold, whether they are spelled out or not: [i, i+1] for a chain.
    std::vector<LayerEdge> dependencies() const;
    bool operator==(const LayerProfile&) const = default;
};

}  // namespace stagecraft::model
