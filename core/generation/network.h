#pragma once

#include "core/base/enum_names.h"
#include "core/base/parameters.h"
#include "core/model/layer_profile.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::generation {

/// What bounds an operation, and so which efficiency applies to it.
enum class OperationClass {
    matrix,  ///< matrix products: fully connected layers, attention
    convolution,
    elementwise,  ///< everything that is bound by memory: activations, norms, softmax, pooling, lookups
};

/// What a model's parameters are counted as.
enum class ModelPart { other, embedding, attention, mlp, experts, router, norm, head };
inline constexpr EnumName<ModelPart> modelPartNames[] = {
    {ModelPart::other, "other"},         {ModelPart::embedding, "embedding"},
    {ModelPart::attention, "attention"}, {ModelPart::mlp, "mlp"},
    {ModelPart::experts, "experts"},     {ModelPart::router, "router"},
    {ModelPart::norm, "norms"},          {ModelPart::head, "head"}};

/// A tensor that an operation keeps from the forward to the backward.
struct StoredTensor {
    std::string name;  ///< "norm1_input"
    ActivationCause cause = ActivationCause::other;
    double elements = 0;      ///< of one sample
    double elementBytes = 0;  ///< where they have a size of their own (fp32, a mask); 0: the precision's
    double bytes(double precisionBytes) const {
        return elements * (elementBytes > 0 ? elementBytes : precisionBytes);
    }
};

/// How tensor parallelism divides an operation's weights among the ranks of its group (Shoeybi et al., 2019,
/// Sec. 3).
enum class TensorCut {
    none,     ///< every rank has all of them: norms, routers, positions
    columns,  ///< by outputs: weights and biases; each rank needs all of the input
    rows,     ///< by inputs: weights, the bias is every rank's; what it makes is the sum over the ranks
    words,    ///< a table of words, of which each rank has some; what it makes is the sum over the ranks
};

/// A product of tokens with weights. `rows` and `groups` are of one sample and of all samples.
struct MatrixShape {
    double rows = 0;  ///< of all groups together
    double inputs = 0, outputs = 0;
    double groups = 0;   ///< products side by side in one call, one for each expert; 0: one product
    double senders = 1;  ///< GPUs whose rows each group has: as many times the `rows` of one
};
/// Products of queries and keys and with values, in one kernel; widths are a head's.
struct AttentionCore {
    double tokens = 0, heads = 0, keyValueHeads = 0, queryWidth = 0, valueWidth = 0;
    double keys = 0;      ///< tokens that one looks at, before a mask
    bool masked = false;  ///< later ones are hidden
};

/// One kernel of a layer, in numbers that depend on the architecture alone. All but `parameters` are for ONE
/// sample; elements are numbers of the chosen precision.
struct Operation {
    std::string name;
    OperationClass kind = OperationClass::elementwise;
    double flops = 0;       ///< forward; a multiply-add is two; 0 for elementwise operations
    double parameters = 0;  ///< weights and biases; a matrix product or convolution reads them once a pass
    double trafficElements = 0;  ///< activations that the forward pass reads and writes
    double storedElements = 0;   ///< kept from the forward to the backward, counted where they are read again
    /// The backward in units of the forward pass: a product or convolution computes an input gradient and a
    /// weight gradient at the forward's cost each; an elementwise operation moves 1 to 5/3 times the
    /// forward's data.
    double inputGradientPasses = 1;
    double weightGradientPasses = 0;
    /// How often a pass reads the parameters: once, but at every step in the recurrent part of an LSTM.
    double weightReads = 1;
    /// The tensors that it reads, each by the operation of the same layer that makes it, or one of the two
    /// below; none: it reads the data set.
    std::vector<int> reads;
    double outputElements = 0;  ///< of the tensor that it makes
    bool withPrevious = false;  ///< alternates with the operation before it step by step: one operator
    /// Kept from its input gradient to its weight gradient: what it reads, and the gradient of what it makes.
    /// A tensor that several operations read counts with the first.
    double deferredElements = 0;
    /// What is kept, by tensor; empty: nothing is known beyond storedElements, which counts those that have
    /// the precision's size.
    std::vector<StoredTensor> stored = {};
    ModelPart part = ModelPart::other;
    double idleParameters = 0;  ///< of experts that a token does not take
    /// Of `flops`, which count what a causal mask hides too: what a kernel that skips it computes.
    double computedShare = 1;
    bool isAttentionCore = false;    ///< products of queries and keys, and with values: no parameters
    bool isScoresRecompute = false;  ///< taken again by a selective recomputation
    bool isLoss = false;             ///< softmax and cross entropy
    bool isReordering = false;       ///< of rows in memory
    TensorCut cut = TensorCut::none;
    /// Between a cut by columns and the next by rows, where each rank has a share of every tensor.
    bool isInside = false;
    bool isRouted = false;                   ///< of tokens at their experts, where these were sent
    double keyValueElements = 0;             ///< keys and values that other tokens of the sample look at
    double routedElements = 0;               ///< sent to where their experts are before it, or back after it
    double routedFromElements = 0;           ///< tokens that these are copies of; 0 where they go back
    std::optional<MatrixShape> matrix = {};  ///< of a product with weights, where it is known
    std::optional<AttentionCore> attention = {};  ///< of a fused attention
};
/// What a layer is of a model.
enum class LayerRole { other, embedding, block, prediction, head };
/// The tensor at a layer's entrance, and the one that is passed along beside it (an encoder's output).
inline constexpr int fromEntrance = -1, fromBeside = -2;

struct NetworkLayer {
    std::string name;
    std::vector<Operation> operations;
    double outputElements = 0;  ///< handed to the next layer, per sample
    int result = fromEntrance;  ///< the operation whose tensor the next layer finds at its entrance
    int beside = fromBeside;    ///< the one whose tensor it finds beside
    LayerRole role = LayerRole::other;
    VocabularyLayer vocabulary = VocabularyLayer::none;

    double parameters() const;
    double forwardFlops() const;    ///< per sample
    double storedElements() const;  ///< per sample; tensors with an element size of their own apart
    double storedBytes(double elementBytes) const;  ///< per sample, all of them
    /// By cause, ascending; empty where an operation does not say.
    std::vector<StoredPart> storedParts(double elementBytes) const;
    /// What a split backward keeps until the weight gradient, per sample: 32 s b h bytes of a Transformer
    /// block at two bytes an element, as in Qi et al., ICLR 2024, Table 1.
    double deferredElements() const;
};

/// A network as a chain of layers, and where it is more than a chain, the graph that they are made of.
struct NetworkDescription {
    std::string model;  ///< the name that network() takes: "bert-large"
    std::string title;  ///< as people write it: "BERT-large"
    std::string
        notes;  ///< sentences: input size, how the chain was cut, published parameter count and differences
    std::vector<NetworkLayer> layers;

    /// Each layer is the run of nodes with its index in `layerOf`, and passes on whatever later ones read.
    /// All three are empty where the layers are all there is.
    std::vector<NetworkLayer> nodes;
    std::vector<LayerEdge> edges;             ///< between nodes
    std::vector<int> layerOf;                 ///< by node
    bool nodesFromLayers = false;             ///< they were made of the layers' operations; withOperators()
    std::optional<bool> causalSequence = {};  ///< LayerProfile::causalSequence; known of the zoo
    std::optional<DivisibleParts> divisible = {};  ///< known where operations say how they are divided

    double parameters() const;
    double forwardFlops() const;  ///< per sample
};

/// The network with its graph of operators: as it is if it has one, else with a node for each operation of
/// its layers (for operations that alternate step by step, as in an LSTM, one for all) and the edges of what
/// they read.
NetworkDescription withOperators(NetworkDescription network);

/// An entry of the model zoo.
struct ModelDescription {
    std::string name;                   ///< "bert-large"
    std::string summary;                ///< a line: who published it, and what its defaults are
    std::vector<Parameter> parameters;  ///< of the architecture
    std::string title = {};             ///< as people write it: "Llama 3 70B"; empty: as the name
    bool isOfToday = false;             ///< its times are for a GPU of today at bf16 unless said otherwise
};

/// The models that can be generated: the transformers of today by their sizes, then families whose shape is
/// given by parameters, of which those of SPP's Table II come first.
const std::vector<ModelDescription>& modelZoo();
std::vector<std::string> modelNames();
/// @throws std::invalid_argument if there is no such model; the message lists those that there are
const ModelDescription& modelNamed(const std::string& model);
/// @param given parameters that differ from their defaults
/// @throws std::invalid_argument if there is no such model, it has no such parameter, or a value is out of
/// its range or does not go with the others
NetworkDescription network(const std::string& model, const ParameterValues& given = {});

/// Names of nodes begin with an id of their own, which contains no blank.
std::string withoutBlanks(std::string name);

}  // namespace stagecraft::generation
