#pragma once

#include "core/base/rooms.h"

#include <onnx/onnx_pb.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace stagecraft::onnx {

/// A tensor whose shape is known.
struct OnnxTensor {
    std::vector<double> shape;
    int type = ::onnx::TensorProto::UNDEFINED;

    double elements() const;
    bool isFloat() const;
    double last() const { return shape.empty() ? 1 : shape.back(); }
};

/// The shapes of a graph's tensors by name.
class OnnxTensors {
public:
    /// @throws InputError for a dimension that is no size
    OnnxTensors(const ::onnx::GraphProto& graph, const std::string& file);
    /// Null if its shape is not known.
    const OnnxTensor* find(const std::string& name) const;
    /// Null if it is not stored in the model.
    const OnnxTensor* initializer(const std::string& name) const;

private:
    void add(const ::onnx::ValueInfoProto& value, const std::string& file);

    std::unordered_map<std::string, OnnxTensor> tensors_;
    std::unordered_map<std::string, OnnxTensor> initializers_;
};

}  // namespace stagecraft::onnx
