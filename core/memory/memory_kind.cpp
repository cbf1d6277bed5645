#include "core/memory/memory_kind.h"

namespace stagecraft {

const char* memoryKindName(MemoryKind kind) {
    switch (kind) {
        case MemoryKind::parameters:
            return "parameters";
        case MemoryKind::gradients:
            return "gradients";
        case MemoryKind::optimizerState:
            return "optimizer state";
        case MemoryKind::weightVersions:
            return "weight versions";
        case MemoryKind::activations:
            return "activations";
        case MemoryKind::buffers:
            return "buffers";
    }
    return "?";
}

}  // namespace stagecraft
