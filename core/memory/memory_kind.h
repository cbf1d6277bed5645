#pragma once

#include "core/base/rooms.h"

namespace stagecraft::memory {

/// What fills a device's memory, bottom to top of a stacked curve (MODEL.md section 2).
enum class MemoryKind { parameters, gradients, optimizerState, weightVersions, activations, buffers };
inline constexpr int memoryKindCount = 6;
const char* memoryKindName(MemoryKind kind);

}  // namespace stagecraft::memory
