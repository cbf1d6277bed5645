#pragma once

#include "core/base/rooms.h"

namespace stagecraft::memory {

/// What fills a device's memory, bottom to top of a stacked curve (MODEL.md section 2).
enum class MemoryKind {
    parameters,
    gradients,
    masterWeights,  ///< in 4 bytes, of which those of a mixed precision are made
    optimizerState,
    weightVersions,
    activations,
    buffers,
    reserved,  ///< what the setup reserves on each GPU
};
inline constexpr int memoryKindCount = 8;
const char* memoryKindName(MemoryKind kind);
/// Whether lists and tables leave it out where nothing of it is held: what older files do not have.
bool isLeftOutWhereNone(MemoryKind kind);

}  // namespace stagecraft::memory
