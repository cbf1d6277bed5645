#pragma once

#include "core/generation/network.h"
#include "core/onnx/tensors.h"

#include <string>
#include <vector>

namespace stagecraft::onnx {

/// What a node of an ONNX graph computes; numbers are for the whole microbatch.
struct OnnxOperation {
    Operation operation;
    /// Elements kept for the backward besides what the node reads.
    double ownStoredElements = 0;
    bool keepsInputs = true;
    bool isView = false;   ///< moves nothing
    bool isKnown = true;   ///< false: an operator that ONNX does not define; counted by its data
    bool hasBody = false;  ///< If, Loop, Scan: what they contain is not counted
    /// Whether the operation's flops are all of them: it is known, and so are the shapes of what it
    /// multiplies.
    bool knowsFlops = true;
};

/// A node's tensors, as far as they are known.
struct OnnxNodeTensors {
    std::vector<const OnnxTensor*> inputs;  ///< by position; null: unknown, or not given
    std::vector<const OnnxTensor*> outputs;
    std::vector<bool> isParameter;  ///< by input
    double dataElements = 0;        ///< of all inputs that are no parameters
    double outputElements = 0;
};

OnnxOperation onnxOperation(const ::onnx::NodeProto& node, const OnnxNodeTensors& tensors);

}  // namespace stagecraft::onnx
