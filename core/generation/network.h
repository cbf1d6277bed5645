#pragma once

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

/// What bounds an operation, and so which efficiency applies to it.
enum class OperationClass {
    matrix,  ///< matrix products: fully connected layers, attention
    convolution,
    elementwise,  ///< everything that is bound by memory: activations, norms, softmax, pooling, lookups
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
};

struct NetworkLayer {
    std::string name;
    std::vector<Operation> operations;
    double outputElements = 0;  ///< handed to the next layer, per sample

    double parameters() const;
    double forwardFlops() const;    ///< per sample
    double storedElements() const;  ///< per sample
};

/// A network as a chain of layers.
struct NetworkDescription {
    std::string model;  ///< the name that network() takes: "bert-large"
    std::string title;  ///< as people write it: "BERT-large"
    std::string
        notes;  ///< sentences: input size, how the chain was cut, published parameter count and differences
    std::vector<NetworkLayer> layers;

    double parameters() const;
    double forwardFlops() const;  ///< per sample
};

struct NetworkOptions {
    std::optional<int> layers;          ///< transformer blocks of the BERT and XLNet families
    std::optional<int> sequenceLength;  ///< tokens of a sample of the language models; 384 if absent
};

/// The models that can be generated, in the order of SPP's Table II.
std::vector<std::string> modelNames();
/// @throws std::invalid_argument if there is no such model, an option does not apply to it or is less than 1
NetworkDescription network(const std::string& model, const NetworkOptions& options = {});

}  // namespace stagecraft
