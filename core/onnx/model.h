#pragma once

#include "core/onnx/onnx_profile.h"

#include <onnx/onnx_pb.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace stagecraft {

/// A tensor whose shape is known.
struct OnnxTensor {
    std::vector<double> shape;
    int type = onnx::TensorProto::UNDEFINED;

    double elements() const;
    bool isFloat() const;
    double last() const { return shape.empty() ? 1 : shape.back(); }
};

/// @throws InputError
onnx::ModelProto parseOnnx(std::string_view bytes, const std::string& file);

std::vector<OpenDimension> openDimensions(const onnx::GraphProto& graph);

/// Gives open dimensions their values and lets ONNX infer all shapes. @return samples of a microbatch: the
/// first dimension of the first input. @throws InputError
int inferShapes(onnx::ModelProto& model, const OnnxOptions& options, const std::string& file);

/// The shapes of a graph's tensors by name.
class OnnxTensors {
public:
    /// @throws InputError for a dimension that is no size
    OnnxTensors(const onnx::GraphProto& graph, const std::string& file);
    /// Null if its shape is not known.
    const OnnxTensor* find(const std::string& name) const;
    /// Null if it is not stored in the model.
    const OnnxTensor* initializer(const std::string& name) const;

private:
    void add(const onnx::ValueInfoProto& value, const std::string& file);

    std::unordered_map<std::string, OnnxTensor> tensors_;
    std::unordered_map<std::string, OnnxTensor> initializers_;
};

}  // namespace stagecraft
