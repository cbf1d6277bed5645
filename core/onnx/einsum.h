#pragma once

#include "core/base/rooms.h"

#include <onnx/onnx_pb.h>

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::onnx {

/// What an einsum makes of tensors of known shapes.
struct Einsum {
    std::vector<double> shape;  ///< of the result
    double summedElements = 1;  ///< multiply-adds for each element of the result
};

/// Follows ONNX's operator Einsum: "bij,bjk->bik"; "..." stands for leading axes that all operands share or
/// lack; without an arrow the result has the indices that occur once, in the order of the alphabet.
/// Nothing if equation and shapes do not go together.
std::optional<Einsum> einsum(const std::string& equation, const std::vector<std::vector<double>>& operands);

std::string einsumEquation(const ::onnx::NodeProto& node);

/// Debian's ONNX infers no more of an einsum's result than its rank: stores the shapes of those whose
/// operands have one. @return how many are new. @throws InputError for a dimension that is no size
int storeEinsumShapes(::onnx::GraphProto& graph);

}  // namespace stagecraft::onnx
