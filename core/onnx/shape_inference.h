#pragma once

#include "core/base/rooms.h"

#include <onnx/onnx_pb.h>

#include <string>

namespace stagecraft::onnx {

/// Lets ONNX infer the shapes of a model, in a child process: its library crashes on some models that
/// contradict themselves. Adds value_info and the outputs' shapes to the model.
/// @throws InputError if the library refuses the model, crashes, or takes longer than 15 s
void inferInChild(::onnx::ModelProto& model, const std::string& file);

}  // namespace stagecraft::onnx
