#pragma once

#include "core/onnx/onnx_options.h"

#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::onnx {

/// @throws InputError
::onnx::ModelProto parseOnnx(std::string_view bytes, const std::string& file);

std::vector<OpenDimension> openDimensions(const ::onnx::GraphProto& graph);

/// Gives open dimensions their values and lets ONNX infer all shapes. @return samples of a microbatch: the
/// first dimension of the first input. @throws InputError
int inferShapes(::onnx::ModelProto& model, const OnnxOptions& options, const std::string& file);

}  // namespace stagecraft::onnx
