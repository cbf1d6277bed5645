#include "core/formats/profiles/profile_format.h"

namespace stagecraft::formats {

namespace {

/// An ONNX file is a protobuf message: its first field is the version of the format, a small number, and the
/// name of the tool that wrote it, a domain or the graph follow.
bool looksLikeOnnx(std::string_view text) {
    return text.size() > 4 && text[0] == '\x08' && text[1] > 0 && text[1] < 32 &&
           (text[2] == '\x12' || text[2] == '\x1a' || text[2] == '\x22' || text[2] == '\x2a' ||
            text[2] == '\x3a' || text[2] == '\x42' || text[2] == '\x28');
}

}  // namespace

/// Core's onnx room makes profiles of it.
ProfileFormat onnxModelFormat() {
    return {.ids = {"onnx"},
            .name = "ONNX model",
            .suffixes = {"onnx"},
            .recognises = looksLikeOnnx,
            .refusal = "an ONNX model has no times",
            .expected = "a GPU to work them out for"};
}

}  // namespace stagecraft::formats
