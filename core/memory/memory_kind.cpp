#include "core/memory/memory_kind.h"

#include "core/base/enum_names.h"

namespace stagecraft::memory {

namespace {

constexpr EnumName<MemoryKind> memoryKindNames[] = {
    {MemoryKind::parameters, "parameters"},          {MemoryKind::gradients, "gradients"},
    {MemoryKind::optimizerState, "optimizer state"}, {MemoryKind::weightVersions, "weight versions"},
    {MemoryKind::activations, "activations"},        {MemoryKind::buffers, "buffers"},
    {MemoryKind::masterWeights, "master weights"},   {MemoryKind::reserved, "reserved"}};

}  // namespace

const char* memoryKindName(MemoryKind kind) { return nameOf(memoryKindNames, kind); }

bool isLeftOutWhereNone(MemoryKind kind) {
    return kind == MemoryKind::masterWeights || kind == MemoryKind::reserved;
}

}  // namespace stagecraft::memory
