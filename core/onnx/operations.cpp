#include "core/onnx/operations.h"

#include "core/generation/layer_builder.h"
#include "core/onnx/einsum.h"

#include <onnx/defs/schema.h>

#include <algorithm>
#include <set>

namespace stagecraft::onnx {

namespace {

bool isOneOf(const std::string& name, const std::set<std::string>& names) { return names.contains(name); }

const std::set<std::string>& views() {
    static const std::set<std::string> names = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"};
    return names;
}
/// Their backward needs nothing of the forward.
const std::set<std::string>& needNoInputs() {
    static const std::set<std::string> names = {
        "Add",       "Sub",      "Neg",          "Concat",      "Split",       "Slice",
        "Transpose", "Cast",     "Pad",          "Sum",         "Mean",        "Tile",
        "Expand",    "Gather",   "ReduceSum",    "ReduceMean",  "AveragePool", "GlobalAveragePool",
        "Resize",    "Upsample", "DepthToSpace", "SpaceToDepth"};
    return names;
}
/// Their backward needs their output and not their input.
const std::set<std::string>& keepOutput() {
    static const std::set<std::string> names = {"Softmax",   "LogSoftmax", "Sigmoid",    "Tanh",
                                                "Exp",       "Sqrt",       "Reciprocal", "Relu",
                                                "LeakyRelu", "Elu",        "Selu"};
    return names;
}

/// Products whose operations are not counted.
const std::set<std::string>& uncountedProducts() {
    static const std::set<std::string> names = {"Einsum",      "QLinearMatMul", "MatMulInteger",
                                                "QLinearConv", "ConvInteger",   "DFT",
                                                "DeformConv",  "Attention",     "STFT"};
    return names;
}

std::int64_t integerAttribute(const ::onnx::NodeProto& node, const std::string& name,
                              std::int64_t otherwise) {
    for (const auto& attribute : node.attribute())
        if (attribute.name() == name && attribute.has_i()) return attribute.i();
    return otherwise;
}

const OnnxTensor* tensorAt(const std::vector<const OnnxTensor*>& tensors, std::size_t index) {
    return index < tensors.size() ? tensors[index] : nullptr;
}

double weightElements(const OnnxNodeTensors& tensors, std::size_t index) {
    const OnnxTensor* weight = tensorAt(tensors.inputs, index);
    return weight ? weight->elements() : 0;
}

/// Multiply-adds of one element of a convolution's output (or of a transposed one's input).
double windowElements(const OnnxTensor& weight) {
    return weight.shape.empty() || weight.shape.front() == 0 ? 0 : weight.elements() / weight.shape.front();
}

bool isWeighted(const OnnxNodeTensors& tensors, std::size_t index) {
    return index < tensors.isParameter.size() && tensors.isParameter[index];
}

/// A product of two tensors; where the second is no weight, both have a gradient.
void setProduct(const OnnxNodeTensors& tensors, double depth, OnnxOperation& made) {
    Operation& operation = made.operation;
    operation.kind = OperationClass::matrix;
    operation.flops = 2 * tensors.outputElements * depth;
    const bool weighted = isWeighted(tensors, 0) || isWeighted(tensors, 1);
    operation.inputGradientPasses = weighted ? 1 : 2;
    operation.weightGradientPasses = weighted ? 1 : 0;
}

/// Nothing is counted where equation and tensors do not go together.
void setEinsum(const ::onnx::NodeProto& node, const OnnxNodeTensors& tensors, OnnxOperation& made) {
    std::vector<std::vector<double>> shapes;
    for (const OnnxTensor* tensor : tensors.inputs)
        shapes.push_back(tensor ? tensor->shape : std::vector<double>());
    const auto product = einsum(einsumEquation(node), shapes);
    setProduct(tensors, product ? product->summedElements : 0, made);
}

void setConvolution(const OnnxNodeTensors& tensors, double outputs, OnnxOperation& made) {
    const OnnxTensor* weight = tensorAt(tensors.inputs, 1);
    made.operation.kind = OperationClass::convolution;
    made.operation.flops = weight ? 2 * outputs * windowElements(*weight) : 0;
    made.operation.inputGradientPasses = made.operation.weightGradientPasses = 1;
}

/// X is {steps, samples, features}, W {directions, gates * hidden, features}, R {…, hidden}.
void setRecurrent(const OnnxNodeTensors& tensors, OnnxOperation& made) {
    const OnnxTensor* x = tensorAt(tensors.inputs, 0);
    made.operation.kind = OperationClass::matrix;
    made.operation.inputGradientPasses = made.operation.weightGradientPasses = 1;
    if (!x || x->shape.size() < 3) return;
    const double steps = x->shape[0], samples = x->shape[1];
    made.operation.flops = 2 * steps * samples * (weightElements(tensors, 1) + weightElements(tensors, 2));
    made.operation.weightReads = std::max(1.0, steps);
    made.ownStoredElements = tensors.outputElements;
}

void setElementwise(const ::onnx::NodeProto& node, const OnnxNodeTensors& tensors, OnnxOperation& made) {
    const std::string& type = node.op_type();
    const bool isNorm = type.find("Normalization") != std::string::npos;
    const bool copies = isOneOf(type, needNoInputs());
    made.operation.inputGradientPasses = isNorm ? fiveForThree : copies ? 1 : threeForTwo;
    made.operation.trafficElements += isNorm ? tensors.outputElements : 0;  // statistics, then the values
    if (copies) made.keepsInputs = false;
    if (isOneOf(type, keepOutput())) {
        made.keepsInputs = false;
        made.ownStoredElements = tensors.outputElements;
    }
    if (type != "Gather" || !isWeighted(tensors, 0)) return;
    // A lookup reads the rows that it passes on; its gradient is added to the table's.
    made.operation.trafficElements = 2 * tensors.outputElements;
    made.operation.inputGradientPasses = 0;
    made.operation.weightGradientPasses = 1;
}

}  // namespace

OnnxOperation onnxOperation(const ::onnx::NodeProto& node, const OnnxNodeTensors& tensors) {
    OnnxOperation made;
    const std::string& type = node.op_type();
    made.operation.name = type;
    made.operation.trafficElements = tensors.dataElements + tensors.outputElements;
    made.hasBody = type == "If" || type == "Loop" || type == "Scan";
    const bool standard = node.domain().empty() || node.domain() == "ai.onnx";
    made.isKnown = standard && ::onnx::OpSchemaRegistry::Schema(type) != nullptr;
    made.isView = standard && isOneOf(type, views());
    if (made.isView) {
        made.operation.trafficElements = 0;
        made.keepsInputs = false;
        return made;
    }
    const OnnxTensor* a = tensorAt(tensors.inputs, 0);
    if (standard && type == "Conv")
        setConvolution(tensors, tensors.outputElements, made);
    else if (standard && type == "ConvTranspose")
        setConvolution(tensors, a ? a->elements() : 0, made);
    else if (standard && type == "MatMul")
        setProduct(tensors, a ? a->last() : 0, made);
    else if (standard && type == "Gemm") {
        const bool transposed = integerAttribute(node, "transA", 0) != 0;
        const double depth = a && a->shape.size() == 2 ? a->shape[transposed ? 0 : 1] : 0;
        setProduct(tensors, depth, made);
    } else if (standard && type == "Einsum" && tensors.inputs.size() == 2) {
        setEinsum(node, tensors, made);
    } else if (standard && (type == "LSTM" || type == "GRU" || type == "RNN"))
        setRecurrent(tensors, made);
    else
        setElementwise(node, tensors, made);
    const bool multiplies =
        made.operation.kind != OperationClass::elementwise || isOneOf(type, uncountedProducts());
    made.knowsFlops = made.isKnown && !made.hasBody && (!multiplies || made.operation.flops > 0);
    return made;
}

}  // namespace stagecraft::onnx
