#include "core/onnx/tensors.h"

#include "core/formats/input_error.h"

#include <algorithm>

namespace stagecraft::onnx {

namespace {

/// Elements of a tensor, at most: beyond it sums of bytes are of no use to anybody.
constexpr double mostElements = 1e18;

}  // namespace

double OnnxTensor::elements() const {
    double product = 1;
    for (const double size : shape) product *= size;
    return product;
}

bool OnnxTensor::isFloat() const {
    return type == ::onnx::TensorProto::FLOAT || type == ::onnx::TensorProto::FLOAT16 ||
           type == ::onnx::TensorProto::BFLOAT16 || type == ::onnx::TensorProto::DOUBLE;
}

namespace {

OnnxTensor storedTensor(const ::onnx::TensorProto& stored, const std::string& place,
                        const std::string& file) {
    OnnxTensor tensor;
    tensor.type = stored.data_type();
    for (const std::int64_t size : stored.dims()) tensor.shape.push_back(static_cast<double>(size));
    const bool sized =
        std::all_of(tensor.shape.begin(), tensor.shape.end(), [](double size) { return size >= 0; });
    if (!sized || tensor.elements() > mostElements)
        throw InputError(file, place, "its shape is invalid", "sizes of 0 or more, 1e18 elements at most");
    return tensor;
}

}  // namespace

OnnxTensors::OnnxTensors(const ::onnx::GraphProto& graph, const std::string& file) {
    for (const auto& stored : graph.initializer())
        initializers_.emplace(stored.name(),
                              storedTensor(stored, "initializer '" + stored.name() + "'", file));
    // ONNX lets a Constant node hold what an initializer may; a single number is a factor and no weight.
    for (const auto& node : graph.node()) {
        if (node.op_type() != "Constant" || node.output_size() != 1) continue;
        for (const auto& attribute : node.attribute()) {
            if (attribute.name() != "value" || !attribute.has_t()) continue;
            OnnxTensor tensor = storedTensor(attribute.t(), "constant '" + node.output(0) + "'", file);
            if (tensor.isFloat() && tensor.elements() > 1)
                initializers_.emplace(node.output(0), std::move(tensor));
        }
    }
    for (const auto& value : graph.input()) add(value, file);
    for (const auto& value : graph.output()) add(value, file);
    for (const auto& value : graph.value_info()) add(value, file);
}

void OnnxTensors::add(const ::onnx::ValueInfoProto& value, const std::string& file) {
    if (!value.type().has_tensor_type() || !value.type().tensor_type().has_shape()) return;
    OnnxTensor tensor;
    tensor.type = value.type().tensor_type().elem_type();
    for (const auto& dimension : value.type().tensor_type().shape().dim()) {
        if (!dimension.has_dim_value()) return;
        tensor.shape.push_back(static_cast<double>(dimension.dim_value()));
    }
    const bool sized =
        std::all_of(tensor.shape.begin(), tensor.shape.end(), [](double size) { return size >= 0; });
    if (!sized || tensor.elements() > mostElements)
        throw InputError(file, "tensor '" + value.name() + "'", "its shape is invalid",
                         "sizes of 0 or more, 1e18 elements at most");
    tensors_.insert_or_assign(value.name(), std::move(tensor));
}

const OnnxTensor* OnnxTensors::find(const std::string& name) const {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? initializer(name) : &found->second;
}

const OnnxTensor* OnnxTensors::initializer(const std::string& name) const {
    const auto found = initializers_.find(name);
    return found == initializers_.end() ? nullptr : &found->second;
}

}  // namespace stagecraft::onnx
