#pragma once

#include "core/generation/analytic_profile.h"

#include <map>
#include <string>

namespace stagecraft::onnx {

/// What an ONNX model does not say.
struct OnnxOptions {
    Gpu gpu;
    /// microbatchSize: of the first input's first dimension, if the model leaves it open; 0: it must be given
    /// in `dimensions`.
    AnalyticOptions analytic;
    std::map<std::string, int> dimensions;  ///< by name, as openDimensions() calls them
};

/// A dimension of an input that the model leaves open.
struct OpenDimension {
    std::string name;      ///< the model's own, else "input[axis]"
    std::string where;     ///< "input[axis]", the first that has it
    bool isBatch = false;  ///< the first of the first input
};

}  // namespace stagecraft::onnx
