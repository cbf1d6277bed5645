#include "core/programs/configured_layers.h"

namespace stagecraft::programs {

bool isPrediction(const Layer& layer) { return layer.name.starts_with("prediction"); }

ProfileEnds endsOf(const LayerProfile& profile) {
    ProfileEnds ends;
    if (profile.layers.empty()) return ends;
    const std::string &first = profile.layers.front().name, &last = profile.layers.back().name;
    ends.embedding = first.starts_with("embed") || first.starts_with("patches");
    ends.head = profile.layerCount() > 1 && last.starts_with("head");
    for (const Layer& layer : profile.layers) ends.predictions += isPrediction(layer);
    ends.blocks = profile.layerCount() - ends.embedding - ends.head - ends.predictions;
    return ends;
}

void addMemory(const BlockMemory& memory, int blocks, int layer, int before, MemoryPolicy& policy) {
    if (memory.memory == LayerMemory::keep) return;
    for (int i = 0; i < blocks; ++i) {
        const bool isAsked = memory.firstBlocks == 0 || i < memory.firstBlocks;
        if (isAsked && (before + i + 1) % memory.every == 0) policy.layers[layer + i] = memory.memory;
    }
}

}  // namespace stagecraft::programs
