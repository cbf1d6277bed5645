#pragma once

#include "core/formats/native/formats.h"
#include "core/onnx/onnx_options.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::onnx {

/// @param bytes of the whole file
/// @throws InputError if it is no ONNX model
std::vector<OpenDimension> openDimensions(std::string_view bytes, const std::string& file);

/// A profile of an ONNX model, computed as analyticProfile() computes those of the model zoo: operations and
/// bytes of each node from the shapes that ONNX's own shape inference finds, times by the roofline. Products
/// and convolutions count by their operations and data, recurrent layers as the products of their steps,
/// other nodes by their data alone, views (Reshape and the like) not at all; a backward costs what the model
/// zoo says of its kind. What follows from constants and shapes alone is left out. The graph is then made a
/// chain as those of other formats are.
/// @throws InputError for what is no ONNX model or contradicts itself, and naming the open dimensions that
/// have no value; std::invalid_argument as analyticProfile() does
ImportedProfile readOnnx(std::string_view bytes, const std::string& file, const OnnxOptions& options);

}  // namespace stagecraft::onnx
